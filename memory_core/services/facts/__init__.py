"""Facts that conversations leave behind."""
