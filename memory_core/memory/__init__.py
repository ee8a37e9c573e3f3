"""One memory, opened: a family of things to do with it in each module."""

from .opening import Memory, open_memory

__all__ = ["Memory", "open_memory"]
