"""Backups, imports, exports and atomic file writes."""
