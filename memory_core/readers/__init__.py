"""Readers of user files."""

from .files import ReadFile, read_bytes, read_file

__all__ = ["ReadFile", "read_bytes", "read_file"]
