"""Values of the knowledge graph."""
