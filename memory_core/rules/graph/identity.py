"""Entity ids made from names, and merging of names and properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from pydantic import JsonValue

from ...model.graph.entities import Entity
from ..text.normalization import fold_name

# Long enough to read, short enough to type.
MAX_ID = 80

_GAP = re.compile(r"[^\w.+#]+")


def make_id(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return a readable id for *name*, with a number appended while it is *is_taken*."""
    base = _GAP.sub("-", fold_name(name)).strip("-")[:MAX_ID].strip("-") or "entity"
    candidate, number = base, 2
    while is_taken(candidate):
        candidate, number = f"{base}-{number}", number + 1
    return candidate


def is_generated_id(id: str, name: str) -> bool:
    """Return whether make_id() may have returned *id* for *name*."""
    base = make_id(name, lambda _: False)
    return re.fullmatch(re.escape(base) + r"(?:-\d+)?", id) is not None


def new_names(name: str, known: Iterable[str], offered: Iterable[str]) -> list[str]:
    """Return the distinct *offered* aliases that are neither *name* nor *known*."""
    seen = {fold_name(name), *(fold_name(alias) for alias in known)}
    fresh = []
    for alias in offered:
        if fold_name(alias) not in seen:
            seen.add(fold_name(alias))
            fresh.append(alias)
    return fresh


def new_properties(
    known: Mapping[str, JsonValue], offered: Mapping[str, JsonValue]
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the properties that *known* lacks, and the names whose values differ."""
    fresh = {name: value for name, value in offered.items() if name not in known}
    different = [name for name in offered if name in known and known[name] != offered[name]]
    return fresh, different


def has_name(entity: Entity, name: str) -> bool:
    """Return whether *name* is the entity's name or one of its aliases."""
    return fold_name(name) in {fold_name(known) for known in (entity.name, *entity.aliases)}
