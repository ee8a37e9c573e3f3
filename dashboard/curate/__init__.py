"""Tables that a person edits, and the same as CSV."""
