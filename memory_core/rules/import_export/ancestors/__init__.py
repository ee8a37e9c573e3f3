"""Rows of the databases of earlier programs as rows of our tables."""
