"""Values of search."""
