"""Maintenance: bulk edits, lifecycle of entities, backups and health checks."""
