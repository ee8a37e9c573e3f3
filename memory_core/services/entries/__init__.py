"""Entries and their groups."""
