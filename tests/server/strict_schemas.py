"""Input-schema features that some clients reject."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def strict_schema_problems(schema: dict[str, Any]) -> list[str]:
    """Return what in an input schema some client would refuse or misread."""
    problems = [] if schema.get("type") == "object" else ["is not an object"]
    if schema.get("additionalProperties") is not False:
        problems.append("takes unknown arguments")
    for name, child in schema.get("properties", {}).items():
        if not child.get("description"):
            problems.append(f"{name}: has no description")
        problems += [f"{name}: {problem}" for problem in _not_flat(child)]
    return problems


def _not_flat(schema: Any) -> Iterator[str]:
    """Name every union, reference and null type at any depth."""
    if isinstance(schema, list):
        for item in schema:
            yield from _not_flat(item)
    if not isinstance(schema, dict):
        return
    yield from (f"has {key}" for key in ("anyOf", "oneOf", "allOf", "$ref") if key in schema)
    kinds = schema.get("type")
    if kinds == "null" or isinstance(kinds, list):
        yield f"has the type {kinds}"
    for child in schema.values():
        yield from _not_flat(child)
