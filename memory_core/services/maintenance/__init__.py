"""Keeping a memory in order: by hand, by age, and as a file."""
