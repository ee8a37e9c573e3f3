"""Cursors: where a page ended, as text that a caller gives back unread."""

from __future__ import annotations

import base64
import binascii
import json

from ..errors import Invalid


def cursor_after(*position: str | int | float) -> str:
    """Return the cursor of the page that begins after *position*."""
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


def position_of(cursor: str, *first: str | int | float) -> list[str | int | float]:
    """Return the position in *cursor*, or *first* if it is empty; raise Invalid for another's."""
    if not cursor:
        return list(first)
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        position = json.loads(raw)
    except (binascii.Error, ValueError, UnicodeError, TypeError) as error:
        raise _not_a_cursor(cursor) from error
    if not isinstance(position, list) or [type(x) for x in position] != [type(x) for x in first]:
        raise _not_a_cursor(cursor)
    return position


def _not_a_cursor(cursor: str) -> Invalid:
    return Invalid(
        f"{str(cursor)[:40]!r} is not a cursor of this list. Leave cursor empty for the first "
        "page, and give back the cursor of the page before for the next."
    )
