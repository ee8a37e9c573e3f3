"""Input validation: length, depth and range limits."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from numbers import Integral, Real
from typing import TypeVar

from pydantic import JsonValue

from ..errors import ValidationError
from .text.normalization import clean_name, clean_text

T = TypeVar("T")

# Longer names do not fit into lists and labels.
MAX_NAME = 300
# About 160,000 words: a book chapter pasted as one observation still fits.
MAX_TEXT = 1_000_000
# Properties are returned with every entity, so they stay small.
MAX_PROPERTIES = 100_000
MAX_DEPTH = 20
# Aliases are returned with every entity, too. A merge may join the aliases of several entities.
MAX_ALIASES = 200

# Bounds of one file that is read. The largest books have 2,000 pages and 50,000 paragraphs.
MAX_FILE_ELEMENTS = 500_000
MAX_FILE_PAGES = 5_000
# A page of text has some kB of drawing commands, a detailed map some MB.
MAX_PAGE_BYTES = 10_000_000
# CPU seconds.
MAX_READ_SECONDS = 20.0
# A DOCX file: the XML of a text is about ten times as large as its zip, a bomb a thousand times.
MAX_UNPACKED_RATIO = 10
MAX_ZIP_PARTS = 5_000

# A document may come in one HTTP request; a file is read from disk instead.
HTTP_BODY_BYTES = 8 * 1024 * 1024
# Requests that arrive more slowly than this are refused.
HTTP_BODY_SECONDS = 60.0
# Far above what all editors of a machine hold.
HTTP_CONNECTIONS = 500
# Connections that are busy and cannot make room may exceed their limit by this factor.
HTTP_CONNECTIONS_FACTOR = 1.25
# Files that stay free for the database: two for each of 40 worker threads, and as many again for
# models, backups, imports and logs.
RESERVED_HANDLES = 160
# Idle sessions expire; a returning client starts another one.
HTTP_SESSION_SECONDS = 30 * 60.0
HTTP_SESSIONS = 1000

# What one transaction writes at most, so that it holds the write lock for less than half a
# second of CPU time. Larger writes are several transactions of one batch.
WRITE_CHARACTERS = 250_000
WRITE_ROWS = 500

EVERY_PROJECT = "*"

# Search hits of a lower relevance are left out by default.
RELEVANCE_FLOOR = 0.1


def validate_name(what: str, name: str) -> str:
    """Return *name* normalized; raise ValidationError if it is no string, blank or too long."""
    _require_text(what, name)
    cleaned = clean_name(name)
    if not cleaned:
        raise ValidationError(f"{what} must not be blank. Give at least one visible character.")
    if len(cleaned) > MAX_NAME:
        raise ValidationError(
            f"{what} has {len(cleaned):,} characters; the maximum is {MAX_NAME}. Shorten it, and "
            "store the rest as an observation."
        )
    return cleaned


def validate_text(what: str, text: str, *, longest: int = MAX_TEXT) -> str:
    """Return *text* normalized; raise ValidationError if it is no string, blank or too long."""
    _require_text(what, text)
    cleaned = clean_text(text)
    if not cleaned.strip():
        raise ValidationError(f"{what} must not be blank. Give the text itself.")
    if len(cleaned) > longest:
        raise ValidationError(
            f"{what} has {len(cleaned):,} characters; the maximum is {longest:,}. Split it."
        )
    return cleaned


def validate_aliases(count: int) -> None:
    """Raise ValidationError if an entity may not have so many aliases."""
    if count > MAX_ALIASES:
        raise ValidationError(
            f"The entity would have {count:,} aliases; the maximum is {MAX_ALIASES}. Remove some, "
            "and store other names as observations."
        )


def validate_project(project_id: str, *, all_allowed: bool = False) -> str:
    """Return the project ID normalized; "*" is accepted only with *all_allowed*."""
    name = validate_name("project_id", project_id)
    if name == EVERY_PROJECT and not all_allowed:
        raise ValidationError(
            'project_id "*" means all projects, which is not allowed here. Give one project.'
        )
    return name


def validate_properties(
    values: Mapping[str, JsonValue], what: str = "properties"
) -> dict[str, JsonValue]:
    """Return *values* normalized; raise ValidationError for non-JSON values, depth or size."""
    if _nesting_depth(values) > MAX_DEPTH:
        raise ValidationError(
            f"{what} must not be nested deeper than {MAX_DEPTH} levels. Flatten them."
        )
    try:
        text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise ValidationError(
            f"{what} must not contain NaN or infinity, which JSON does not allow."
        ) from error
    except TypeError as error:
        raise ValidationError(
            f"{what} must be JSON values: {error}. Convert them to text."
        ) from error
    if len(text) > MAX_PROPERTIES:
        raise ValidationError(
            f"{what} have {len(text):,} characters as JSON; the maximum is {MAX_PROPERTIES:,}. "
            "Store long text as observations."
        )
    cleaned: dict[str, JsonValue] = json.loads(clean_text(text))
    return {validate_name("property name", name): cleaned[name] for name in cleaned}


def connections_for(handles: int) -> int:
    """Return the limit of HTTP connections in a process that may open *handles* files."""
    available = int((handles - RESERVED_HANDLES) / HTTP_CONNECTIONS_FACTOR)
    return min(HTTP_CONNECTIONS, max(available, 8))


def validate_finite(what: str, number: float) -> float:
    _require_number(what, number)
    if not math.isfinite(number):
        raise ValidationError(f"{what} must be a finite number, not {number}.")
    return number


def validate_share(what: str, number: float) -> float:
    """Return *number* if it is between 0 and 1, else raise ValidationError."""
    _require_number(what, number)
    if not 0 <= number <= 1:
        raise ValidationError(f"{what} must be between 0 and 1, not {number}.")
    return number


def validate_page_size(limit: int, *, most: int = 500) -> int:
    return validate_range("limit", limit, least=1, most=most)


def validate_range(what: str, number: int, *, least: int, most: int) -> int:
    """Return *number* if it is an integer in the range, else raise ValidationError."""
    _require_number(what, number, whole=True)
    if not least <= number <= most:
        raise ValidationError(f"{what} must be between {least} and {most}, not {number}.")
    return number


def _require_text(what: str, given: object) -> None:
    # Library callers may pass any type; the tools have validated it before.
    if not isinstance(given, str):
        raise ValidationError(f"{what} is {given!r:.60}, but must be a string.")


def _require_number(what: str, given: object, *, whole: bool = False) -> None:
    expected = Integral if whole else Real
    if isinstance(given, bool) or not isinstance(given, expected):
        kind = "an integer" if whole else "a number"
        raise ValidationError(f"{what} is {given!r:.60}, but must be {kind}.")


def _nesting_depth(value: object) -> int:
    """
    Return the nesting depth of *value*. Iterative, so that deep input cannot exhaust the stack.
    """
    deepest = 0
    todo = [(value, 1)]
    while todo and deepest <= MAX_DEPTH:
        item, level = todo.pop()
        deepest = max(deepest, level)
        inner = (
            item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ()
        )
        todo.extend((part, level + 1) for part in inner)
    return deepest


def validate_order(**moments: datetime | None) -> None:
    """Raise ValidationError, naming both, if the second of two times is before the first."""
    (first, start), (second, end) = moments.items()
    if start is not None and end is not None and end < start:
        raise ValidationError(f"{second} is before {first}. Swap them.")


def parts_of(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield lists that one transaction each can write; *size* returns characters."""
    part: list[T] = []
    characters = 0
    for item in items:
        part.append(item)
        characters += size(item)
        if len(part) >= WRITE_ROWS or characters >= WRITE_CHARACTERS:
            yield part
            part, characters = [], 0
    if part:
        yield part
