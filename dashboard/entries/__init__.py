"""View, create and edit entries, singly and in bulk; group charts."""
