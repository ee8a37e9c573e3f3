"""The knowledge graph: its entities, observations and relations, and ways of looking at it."""
