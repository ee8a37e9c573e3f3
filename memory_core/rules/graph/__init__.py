"""Rules for entities, relations and the ontology."""
