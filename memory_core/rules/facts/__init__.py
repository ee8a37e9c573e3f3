"""Rules for facts and entries."""
