"""Generated ids."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from .clock import utc_now

IdSource = Callable[[], str]


def new_id() -> str:
    """Return a unique id. Ids sort by creation time."""
    milliseconds = int(utc_now().timestamp() * 1000)
    return f"{milliseconds:011x}{secrets.token_hex(5)}"
