"""
Results that are larger than the token budget are shortened, with a marker at each place.

Long texts are cut first, then long lists of plain values and objects with many members, then items
are left out at the end of the longest list. Values that any record may have can therefore not make
a tool that reads fail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# From the mildest to the strictest: characters of a text, values of a list or object.
_STEPS = ((8000, 500), (4000, 200), (2000, 100), (1000, 50), (500, 30), (300, 20), (150, 10))

# Names of objects that may have any members.
_FREE = ("properties", "metadata")

_REST = "the complete value is in export_memory and in the dashboard"


def shorten(value: dict[str, Any], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return *value* with its long parts shortened until it fits, if that is enough."""
    for characters, values in _STEPS:
        shortened: dict[str, Any] = _shorten(value, characters, values)
        if fits(shortened):
            break
    return shortened


def drop_items(value: dict[str, Any], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return *value* without items at the ends of its longest lists, so that it fits."""
    while not fits(value):
        name = max(
            (name for name, child in value.items() if isinstance(child, list) and child),
            key=lambda name: len(str(value[name])),
            default="",
        )
        if not name:
            break
        items = value[name]
        left = len(items) // 2
        notice = f"{name}: {left} of {len(items)} items are shown; narrow the request for the rest."
        value = {**value, name: items[:left]}
        if "notice" in value:
            value["notice"] = f"{value['notice']} {notice}".strip()
    return value


def _shorten(value: Any, characters: int, values: int, *, free: bool = False) -> Any:
    """Return a shorter value; members are left out only of *free* objects, without a schema."""
    if isinstance(value, str):
        return _shorten_text(value, characters)
    if isinstance(value, list):
        items = [_shorten(item, characters, values, free=free) for item in value]
        return _shorten_list(items, values, free=free)
    if isinstance(value, dict):
        kept = list(value.items())[: values if free else None]
        shortened = {
            _shorten_text(name, characters): _shorten(
                child, characters, values, free=free or name in _FREE
            )
            for name, child in kept
        }
        if left := len(value) - len(kept):
            shortened["…"] = f"{left:,} more members; {_REST}"
        return shortened
    return value


def _shorten_text(text: str, characters: int) -> str:
    if len(text) <= characters + 100:
        return text
    return f"{text[:characters]}… [{len(text) - characters:,} more characters; {_REST}]"


def _shorten_list(items: list[Any], values: int, *, free: bool) -> list[Any]:
    # A list of records is a page: its items are left out by the tool itself, with a cursor.
    if len(items) <= values or not (free or all(isinstance(item, str) for item in items)):
        return items
    return [*items[:values], f"… [{len(items) - values:,} more; {_REST}]"]
