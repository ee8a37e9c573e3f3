"""Paths that start with the home folder of a user."""

from __future__ import annotations

from pathlib import Path

from .errors import ValidationError


def expand_home(path: str | Path) -> Path:
    """Return *path* with "~" replaced; raise ValidationError if there is no such home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ValidationError(
            f"{str(path)!r} names the home folder of a user that this machine does not have. Give "
            "the whole path."
        ) from error
