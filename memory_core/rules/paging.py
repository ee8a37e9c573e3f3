"""
Cursor pagination.

A cursor is valid only for its own list: with another project, filter or time it would skip rows or
return wrong ones, so it is rejected.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence

from ..errors import ValidationError


def encode_cursor(*position: str | int | float, of: Sequence[object]) -> str:
    """Return the cursor of the page after *position* in the list identified by *of*."""
    marked = json.dumps([_list_hash(of), *position])
    return base64.urlsafe_b64encode(marked.encode()).decode().rstrip("=")


def decode_cursor(
    cursor: str, *first: str | int | float, of: Sequence[object]
) -> list[str | int | float]:
    """
    Return the position in *cursor*, or *first* if it is empty.

    Raise ValidationError if the cursor belongs to another list.
    """
    if not cursor:
        return list(first)
    mark: object
    position: list[str | int | float]
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        mark, *position = json.loads(raw)
    except (binascii.Error, ValueError, UnicodeError, TypeError) as error:
        raise _cursor_error(cursor) from error
    if mark != _list_hash(of) or [type(x) for x in position] != [type(x) for x in first]:
        raise _cursor_error(cursor)
    return position


def _list_hash(of: Sequence[object]) -> str:
    return hashlib.sha256(repr(tuple(of)).encode()).hexdigest()[:8]


def _cursor_error(cursor: str) -> ValidationError:
    return ValidationError(
        f"{str(cursor)[:40]!r} is not a cursor of this list. Leave cursor empty for the first "
        "page; for the next page, pass the cursor of the previous one with unchanged arguments."
    )
