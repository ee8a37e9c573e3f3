"""Tool calls: registry, argument validation and results."""
