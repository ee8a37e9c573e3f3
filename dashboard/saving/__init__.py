"""Saving edits: conflict handling, preserved input and undo."""
