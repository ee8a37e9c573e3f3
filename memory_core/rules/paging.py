"""
Cursors: where a page ended, as text that a caller gives back unread.

A cursor belongs to its list: the one of another project, filter or moment would pass over rows
that it never showed, or show what was not asked for, so it is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence

from ..errors import ValidationError


def encode_cursor(*position: str | int | float, of: Sequence[object]) -> str:
    """Return the cursor of the page that begins after *position* in the list *of* that name."""
    marked = json.dumps([_list_hash(of), *position])
    return base64.urlsafe_b64encode(marked.encode()).decode().rstrip("=")


def decode_cursor(
    cursor: str, *first: str | int | float, of: Sequence[object]
) -> list[str | int | float]:
    """
    Return the position in *cursor*, or *first* if it is empty; raise ValidationError for
    another's.
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
        "page, and give back the cursor of the page before for the next, with all other arguments "
        "as they were."
    )
