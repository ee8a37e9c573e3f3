"""Reading a person's files: which may be read, and what is said in them."""

from .files import ReadFile, read_bytes, read_file

__all__ = ["ReadFile", "read_bytes", "read_file"]
