"""Memories as files: out, and in from many kinds."""
