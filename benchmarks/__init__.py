"""Programs that measure this memory: how well it finds, and what that costs."""
