"""File formats of imports and exports."""
