"""The command line: ``python main.py cli ...``."""

from .running import run

__all__ = ["run"]
