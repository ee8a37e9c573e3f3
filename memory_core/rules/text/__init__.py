"""Text normalization, chunking and similarity."""
