"""
Move or delete the records of a large entity in short transactions.

The last step, which the caller makes, handles the rest and the entity itself. A process that is
killed in between leaves both entities; the same call again completes the work.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...clock import format_timestamp
from ...rules import limits
from ...storage.database import Database
from ...storage.graph import observations, relations


def move(db: Database, from_id: str, to_id: str, moved: dict[str, int]) -> None:
    """Move all records except those that one short transaction can move; count them in *moved*."""
    if _is_small(db, from_id):
        return
    now = format_timestamp(db.clock())
    for part in _parts(db, from_id):
        db.prepare_texts("content", [content for _, content in part])
        with db.write("merge_entities") as connection:
            ids = [id for id, _ in part]
            moved["observations"] += observations.move(connection, from_id, to_id, now, ids=ids)
    count = 1
    while count:
        with db.write("merge_entities") as connection:
            count = relations.move(connection, from_id, to_id, now, limit=limits.WRITE_ROWS)
            moved["relations"] += count


def empty(db: Database, row_id: str) -> None:
    """Delete the observations and relations of an entity, unless they are few."""
    if _is_small(db, row_id):
        return
    for part in _parts(db, row_id):
        with db.write("delete_entity") as connection:
            for id, _ in part:
                observations.delete(connection, id)
    count = 1
    while count:
        with db.write("delete_entity") as connection:
            count = relations.delete_of(connection, row_id, limits.WRITE_ROWS)


def _is_small(db: Database, row_id: str) -> bool:
    with db.read() as connection:
        found = observations.after(connection, row_id, "", limits.WRITE_ROWS)
        related = relations.degrees(connection, [row_id])[row_id]
    characters = sum(len(content) for _, content in found)
    return len(found) + related < limits.WRITE_ROWS and characters < limits.WRITE_CHARACTERS


def _parts(db: Database, row_id: str) -> Iterator[list[tuple[str, str]]]:
    """Yield ids and texts of an entity's observations, as many as one transaction can write."""
    last = ""
    while True:
        with db.read() as connection:
            found = observations.after(connection, row_id, last, limits.WRITE_ROWS)
        if not found:
            return
        part = next(limits.parts_of(found, lambda pair: len(pair[1])))
        yield part
        last = part[-1][0]
