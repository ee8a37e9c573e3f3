"""
Tolerant extraction of JSON lists from answers of language models.

Models wrap JSON in prose, code fences or objects, or stop in the middle of it. Nothing here raises,
and the run time is linear in the length of the answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

# Maximum number of brackets tried as the start of JSON.
_BEGINNINGS = 100
_BEGINNING = re.compile(r"[\[{]")
_GAP = re.compile(r"[\s,]*")
# Reasoning that some models emit first; it may contain other lists.
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_WRAPPERS = ("facts", "memories", "memory", "results", "items")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class JsonList:
    """The items of a list, and whether the list is truncated or malformed."""

    items: tuple[object, ...]
    is_cut: bool = False


def find_list(answer: str, keys: tuple[str, ...]) -> JsonList | None:
    """
    Return the list in *answer*; None if there is none.

    A list of objects is preferred to one of strings. Objects outside a list count as items if they
    have one of *keys*.
    """
    lists, loose = _scan_values(_THOUGHT.sub("", answer, count=1), keys)
    for kind in (dict, str):
        for found in lists:
            if any(isinstance(item, kind) for item in found.items):
                return found
    if loose:
        return JsonList(tuple(loose))
    return lists[0] if lists else None


def find_object(answer: str, key: str) -> dict[str, object] | None:
    """Return the first object in *answer* that has *key*."""
    _, loose = _scan_values(_THOUGHT.sub("", answer, count=1), (key,))
    return loose[0] if loose else None


def _scan_values(
    text: str, keys: tuple[str, ...]
) -> tuple[list[JsonList], list[dict[str, object]]]:
    """Return the lists in *text*, and the objects outside of them that have one of *keys*."""
    lists: list[JsonList] = []
    loose: list[dict[str, object]] = []
    at = 0
    for _ in range(_BEGINNINGS):
        begin = _BEGINNING.search(text, at)
        if begin is None:
            break
        at = begin.start()
        read = _decode_at(text, at)
        if read is not None:
            value, at = read
            _collect_value(value, keys, lists, loose)
            continue
        items, end = _read_complete_items(text, at + 1) if text[at] == "[" else ([], at + 1)
        if items:
            lists.append(JsonList(tuple(items), is_cut=True))
        at = end
    return lists, loose


def _collect_value(
    value: object,
    keys: tuple[str, ...],
    lists: list[JsonList],
    loose: list[dict[str, object]],
) -> None:
    if isinstance(value, list):
        lists.append(JsonList(tuple(value)))
    elif isinstance(value, dict):
        inner = [value[name] for name in _WRAPPERS if isinstance(value.get(name), list)]
        if inner:
            lists.append(JsonList(tuple(inner[0])))
        elif any(key in value for key in keys):
            loose.append(value)


def _read_complete_items(text: str, at: int) -> tuple[list[object], int]:
    """Return the complete objects and strings before the list breaks, and the end offset."""
    items: list[object] = []
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        if text[at : at + 1] not in ("{", '"'):
            return items, at
        read = _decode_at(text, at)
        if read is None:
            return items, at
        value, at = read
        items.append(value)


def _decode_at(text: str, at: int) -> tuple[object, int] | None:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
