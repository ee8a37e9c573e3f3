"""Rows of the knowledge graph."""
