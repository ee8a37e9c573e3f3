"""Rows of entries, facts and extraction jobs."""
