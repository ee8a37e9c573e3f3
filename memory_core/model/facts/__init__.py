"""Values of entries, facts and conversations."""
