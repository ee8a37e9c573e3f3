"""The audit log: triggers, history, undo and purge."""
