"""Columns and references of the tracked tables, read from the schema."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apsw import Connection

from .tracked import TRACKED

State = dict[str, Any]


@dataclass(frozen=True)
class Link:
    """A column of *table* that holds the id of a row of *parent*."""

    table: str
    column: str
    parent: str


class Tables:
    """Columns and references of the tracked tables."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.columns = {
            tracked.table: [
                row["name"] for row in connection.execute(f"pragma table_info({tracked.table})")
            ]
            for tracked in TRACKED
        }
        self.links = [
            Link(table, row["from"], row["table"])
            for table in self.columns
            for row in connection.execute(f"pragma foreign_key_list({table})")
        ]

    def row(self, kind: str, row_id: str) -> State | None:
        query = f"select * from {kind} where id = :id"
        found: State | None = self._connection.execute(query, {"id": row_id}).fetchone()
        return found

    def insertion(self, kind: str) -> str:
        names = self.columns[kind]
        values = ", ".join(f":{name}" for name in names)
        return f"insert into {kind} ({', '.join(names)}) values ({values})"

    def rewriting(self, kind: str) -> str:
        pairs = ", ".join(f"{name} = :{name}" for name in self.columns[kind] if name != "id")
        return f"update {kind} set {pairs} where id = :id"

    def fill_columns(self, kind: str, state: State, now: State | None) -> State:
        """Return *state* with every column; columns added later keep their current value."""
        base = now or self.defaults(kind)
        return {name: state.get(name, base.get(name)) for name in self.columns[kind]}

    def dependents(self, kind: str, row_id: str) -> int:
        """Return the number of rows that are deleted with a row."""
        return sum(
            int(
                self._connection.execute(
                    f"select count(*) from {link.table} where {link.column} = :id", {"id": row_id}
                ).get
            )
            for link in self.links
            if link.parent == kind
        )

    def defaults(self, kind: str) -> State:
        rows = self._connection.execute(f"pragma table_info({kind})")
        return {row["name"]: _literal(row["dflt_value"]) for row in rows}

    @cached_property
    def depths(self) -> dict[str, int]:
        """Return for each table the number of its parent generations."""
        depths = dict.fromkeys(self.columns, 0)
        for _ in depths:
            for link in self.links:
                if link.parent in depths and link.parent != link.table:
                    depths[link.table] = max(depths[link.table], depths[link.parent] + 1)
        return depths


def _literal(default: str | None) -> str | float | None:
    """Return a column default from its text in the schema."""
    if default is None:
        return None
    if default.startswith("'"):
        return default[1:-1].replace("''", "'")
    return None if default.lower() == "null" else float(default)
