"""
The lines of an export.

The first line is the header: format, version, and how many rows of each table follow.
Every other line is one row: ``{"table": "entities", "row": {...}}``, columns as they are
stored, rows that others refer to first.
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


def expected_counts(value: Mapping[str, Any], *, schema: int) -> dict[str, int]:
    """Return what a header promises; raise ValidationError if a newer version wrote it."""
    version, tables = value.get("version"), value.get("schema")
    if not isinstance(version, int) or not isinstance(tables, int):
        raise ValidationError("The file's first line names no version, so it is no whole export.")
    if version > VERSION or tables > schema:
        raise ValidationError(f"The file was exported by a newer version of this program. {_HINT}")
    counts = value.get("counts")
    return {
        str(table): count
        for table, count in (counts if isinstance(counts, dict) else {}).items()
        if isinstance(count, int)
    }


def encode_line(value: Mapping[str, Any]) -> bytes:
    """Return *value* as one line of JSON, the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def encode_row(table: str, row: Mapping[str, Any]) -> bytes:
    return encode_line({"table": table, "row": row})


def decode_row(value: object) -> tuple[str, dict[str, Any]]:
    """Return table and row of a line; raise ValidationError if it is none."""
    parts = value if isinstance(value, dict) else {}
    table, row = parts.get("table"), parts.get("row")
    if not isinstance(table, str) or not isinstance(row, dict):
        raise ValidationError('it is not a row: {"table": ..., "row": {...}}')
    return table, row


def parse_json(text: bytes) -> Any:
    """
    Return a JSON text's value; raise ValidationError for what is no JSON, NaN and infinity
    included.
    """
    try:
        return json.loads(text.decode(), parse_constant=_reject_constant, parse_float=_parse_finite)
    except RecursionError as error:
        raise ValidationError("it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise ValidationError("it is not UTF-8 text") from error
    except ValueError as error:
        raise ValidationError(
            "it is not JSON, or holds NaN, an infinity or a huge number"
        ) from error


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


def _parse_finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
