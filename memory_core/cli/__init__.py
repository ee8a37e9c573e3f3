"""The command line: ``turbovec ...``."""

from .running import run

__all__ = ["run"]
