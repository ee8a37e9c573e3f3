"""Facts extracted from conversations."""
