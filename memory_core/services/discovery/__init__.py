"""What the memory notices of its own accord, and who decides about it."""
