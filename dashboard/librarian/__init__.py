"""Librarian: cycles, suggestions and background settings."""
