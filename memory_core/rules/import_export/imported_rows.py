"""
Validation of imported rows.

1. A file may have been edited or be malicious, so each value is validated like a tool argument; an
   invalid row is rejected entirely.
2. Derived columns (folded names, digests) are recomputed and never read from the file: otherwise
   two rows could share a vector that is not theirs.
3. Rows exported by this program are imported unchanged.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ...errors import ValidationError
from .. import limits
from ..facts import entries
from ..text.normalization import clean_text, fold_name
from ..timestamps import parse_moment

Row = dict[str, Any]
Stamp = Callable[[datetime], str]

_MOMENTS = {
    "created_at",
    "updated_at",
    "occurred_at",
    "archived_at",
    "acknowledged_at",
    "expires_at",
    "valid_from",
    "valid_to",
}
_OBJECTS = {"properties", "metadata"}
_ARRAYS = {"aliases", "tags", "folded_names", "folded_tags"}
_NAMES = {"id", "key", "name", "title", "node_type", "relationship_type", "from_id", "to_id"}

_LARGEST_INTEGER = 2**63 - 1


def validate_row(table: str, row: Mapping[str, Any], *, stamp: Stamp) -> Row:
    """
    Return *row* as it is stored; raise ValidationError naming the invalid column and the rule.

    *stamp* formats a timestamp as the store does.
    """
    result = {name: _validate_value(name, value, stamp) for name, value in row.items()}
    if not isinstance(result.get("id"), str):
        raise ValidationError("the row has no id")
    derive = _DERIVED.get(table)
    if derive is None:
        return result
    try:
        return {**result, **derive(result)}
    except (KeyError, TypeError, AttributeError) as error:
        raise ValidationError("a value is missing or has the wrong type") from error


def assign_project(row: Row, project_id: str) -> Row:
    """Return *row* with that project; "" keeps its own."""
    return {
        **row,
        "project_id": project_id or limits.validate_project(str(row.get("project_id") or "")),
    }


def _validate_value(name: str, value: object, stamp: Stamp) -> str | int | float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValidationError(f"{name} is neither a string nor a number")
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        raise ValidationError(f"{name} is too large")
    if not isinstance(value, str):
        return limits.validate_finite(name, value)
    if len(value) > limits.MAX_TEXT:
        raise ValidationError(
            f"{name} has {len(value):,} characters; the maximum is {limits.MAX_TEXT:,}"
        )
    return _validate_text(name, value, stamp)


def _validate_text(name: str, text: str, stamp: Stamp) -> str | None:
    if name in _MOMENTS:
        read = parse_moment(name, text)
        return stamp(read) if read else None
    if name in _OBJECTS:
        return _validate_object(name, text)
    if name in _ARRAYS:
        _parse_array(name, text)
        return text
    if name in _NAMES:
        return limits.validate_name(name, text)
    return clean_text(text)


def _validate_object(name: str, text: str) -> str:
    value = _parse_json(name, text)
    if not isinstance(value, dict):
        raise ValidationError(f"{name} is not a JSON object")
    return json.dumps(limits.validate_properties(value, name), ensure_ascii=False, sort_keys=True)


def _parse_array(name: str, text: str) -> list[str]:
    value = _parse_json(name, text)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValidationError(f"{name} is not a JSON list of strings")
    if value != [clean_text(item) for item in value]:
        raise ValidationError(f"{name} contains a lone surrogate")
    return value


def _parse_json(name: str, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValidationError(f"{name} is not valid JSON") from error


def _derive_entity(row: Row) -> Row:
    names = [row["name"], *_parse_array("aliases", row.get("aliases") or "[]")]
    folded = json.dumps([fold_name(name) for name in names])
    return {"folded_key": fold_name(row["key"]), "folded_names": folded}


def _derive_observation(row: Row) -> Row:
    content = limits.validate_text("content", row["content"])
    return {"digest": hashlib.blake2b(content.encode(), digest_size=16).hexdigest()}


def _derive_relation(row: Row) -> Row:
    if row["from_id"] == row["to_id"]:
        raise ValidationError("source and target are the same entity")
    return {}


def _derive_document(row: Row) -> Row:
    return {"folded_title": fold_name(row["title"])}


def _derive_entry(row: Row) -> Row:
    tags = _parse_array("tags", row.get("tags") or "[]")
    if row.get("form", "entry") == "entry":
        tags, summary = entries.validate_tags(tags), entries.validate_summary(row["summary"])
    else:
        summary = limits.validate_text("summary", row["summary"])
    return {
        "summary": summary,
        "tags": json.dumps(tags, ensure_ascii=False),
        "folded_tags": json.dumps([fold_name(tag) for tag in tags], ensure_ascii=False),
        "digest": entries.entry_digest(summary, tags),
    }


_DERIVED: dict[str, Callable[[Row], Row]] = {
    "entities": _derive_entity,
    "observations": _derive_observation,
    "relations": _derive_relation,
    "documents": _derive_document,
    "entries": _derive_entry,
}
