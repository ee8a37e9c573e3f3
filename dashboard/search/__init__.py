"""Questions as a page asks them, and their answers."""
