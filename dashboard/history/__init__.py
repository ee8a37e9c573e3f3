"""Comparison of two moments: graph, tables and restore."""
