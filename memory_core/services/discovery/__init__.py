"""Discovery of relations, and suggestions to review."""
