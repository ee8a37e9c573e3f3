"""The knowledge graph: entities, observations, relations, and read-only views."""
