"""Entries: shown, written, edited one by one and many at once, and their groups."""
