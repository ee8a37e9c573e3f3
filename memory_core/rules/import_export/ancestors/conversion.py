"""
Common parts of the conversions of other databases.

1. A conversion is lossless: an id, a timestamp, a direction or a word that our tables have no
   column for becomes a property or metadata, or is reported.
2. The same row of the same file always becomes the same row of ours, so a second import finds it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import JsonValue

from ....errors import ValidationError
from ....model.graph.ontology import Ontology
from ...timestamps import parse_moment

Row = dict[str, Any]
# Place in the file, table of ours, row.
ConvertedRow = tuple[str, str, Row]
SHOWN = 100


@dataclass
class Conversion:
    """
    One conversion in progress.

    Attributes:
        rows: Return the rows of a table of the file.

        tables: Tables of the file with their columns.

        project_id: Target project; "" keeps the projects of the file.

        map_word: Report a word that has another spelling or type here.
    """

    rows: Callable[[str], Iterator[Row]]
    tables: Mapping[str, list[str]]
    ontology: Ontology
    project_id: str
    map_word: Callable[[str, str], None]
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, what: str) -> None:
        """Report what has no counterpart here."""
        if what not in self.left_out and len(self.left_out) < SHOWN:
            self.left_out.append(what)

    def leave_out_tables(self, known: tuple[str, ...], derived: tuple[str, ...]) -> None:
        """Report the other tables that hold rows; indexes are derived and rebuilt."""
        for table in self.tables:
            is_used = table in known or any(table.startswith(name) for name in derived)
            if not is_used and next(self.rows(table), None) is not None:
                self.leave_out(table)

    def take_moment(self, row: Row, column: str, where: str) -> str | None:
        """Return an optional time, or report it if it is none."""
        value = row.pop(column, None)
        if value in (None, ""):
            return None
        with suppress(ValidationError, OverflowError, OSError):
            read = _read_moment(column, value)
            if read is not None:
                return read.isoformat()
        self.leave_out(f"{where}: {column} {str(value)[:60]!r}")
        return None


def stable_id(*parts: object) -> str:
    """Return an id that depends only on *parts*."""
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=12).hexdigest()


def parse_object(text: object) -> dict[str, JsonValue]:
    """Return a JSON object; any other text is kept under the name "properties"."""
    if text in (None, ""):
        return {}
    value: object = text
    with suppress(ValueError, TypeError, RecursionError):
        value = json.loads(str(text))
    if isinstance(value, dict):
        return value
    return {"properties": value} if value is not None else {}  # type: ignore[dict-item]


def parse_list(text: object) -> list[Any]:
    """Return a JSON list; anything else is empty."""
    with suppress(ValueError, TypeError, RecursionError):
        value = json.loads(str(text))
        return value if isinstance(value, list) else []
    return []


def format_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def other_columns(row: Row) -> dict[str, JsonValue]:
    """Return the columns that no conversion took and that hold a value."""
    return {name: value for name, value in row.items() if isinstance(value, str | int | float)}


def _read_moment(column: str, value: object) -> datetime | None:
    # Milliseconds of the epoch, or text.
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value / 1000, UTC)
    return parse_moment(column, str(value))
