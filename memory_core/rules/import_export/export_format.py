"""
JSON Lines format of exports.

The first line is the header: format, version, and the number of rows of each table. Every other
line is one row, ``{"table": "entities", "row": {...}}``, with the columns as stored; referenced
rows come first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from ...errors import ValidationError

FORMAT = "turbovec-memory"
VERSION = 1

_HINT = "Nothing was imported. Update this program, or export again with the older one."


def build_header(
    *, project_id: str, exported_at: str, schema: int, counts: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "schema": schema,
        "exported_at": exported_at,
        "project_id": project_id,
        "counts": dict(counts),
    }


def is_header(value: object) -> bool:
    return isinstance(value, dict) and value.get("format") == FORMAT


def is_row(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("row"), dict) and "table" in value


def expected_counts(value: Mapping[str, Any], *, schema: int) -> dict[str, int]:
    """Return the row counts of a header; raise ValidationError if a newer version wrote it."""
    version, tables = value.get("version"), value.get("schema")
    if not isinstance(version, int) or not isinstance(tables, int):
        raise ValidationError(
            "The first line of the file has no version, so it is not a complete export."
        )
    if version > VERSION or tables > schema:
        raise ValidationError(f"The file was exported by a newer version of this program. {_HINT}")
    counts = value.get("counts")
    return {
        str(table): count
        for table, count in (counts if isinstance(counts, dict) else {}).items()
        if isinstance(count, int)
    }


def encode_line(value: Mapping[str, Any]) -> bytes:
    """Return *value* as one line of JSON. Deterministic."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def encode_row(table: str, row: Mapping[str, Any]) -> bytes:
    return encode_line({"table": table, "row": row})


def decode_row(value: object) -> tuple[str, dict[str, Any]]:
    """Return table and row of a line; raise ValidationError if it is invalid."""
    parts = value if isinstance(value, dict) else {}
    table, row = parts.get("table"), parts.get("row")
    if not isinstance(table, str) or not isinstance(row, dict):
        raise ValidationError('not a row: {"table": ..., "row": {...}}')
    return table, row


def parse_json(text: bytes) -> Any:
    """
    Return the value of a JSON text; raise ValidationError if invalid, or for NaN and infinity.
    """
    try:
        return json.loads(text.decode(), parse_constant=_reject_constant, parse_float=_parse_finite)
    except RecursionError as error:
        raise ValidationError("too deeply nested") from error
    except UnicodeDecodeError as error:
        raise ValidationError("not UTF-8 text") from error
    except ValueError as error:
        raise ValidationError("invalid JSON, or contains NaN, infinity or a huge number") from error


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


def _parse_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
