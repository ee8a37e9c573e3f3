"""
Export and import of rows of the tracked tables.

An imported row is added, already exists, or is skipped with a reason. Existing rows are
never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import apsw
from apsw import Connection

from ...model.scope import Scope
from ...rules.table_names import kind_for_table
from .. import schema
from ..history.tables import State, Tables
from ..history.tracked import TRACKED
from ..scoping import OWNED, USER_SEEN, bound_of, scope_query

_COUNT = "select count(*) from {table} where project_id = :project_id and {seen}"

_ROWS = "select * from {table} where project_id = :project_id and {seen} order by id"

_SAME_ENTRY = """
select count(*) from entries
where digest = :digest and project_id = :project_id and user_id = :user_id
    and agent_id = :agent_id and session_id = :session_id and summary = :summary
"""

# Columns that must be equal in a row and its parent, where both have them.
_SHARED = ("project_id", "user_id", "agent_id", "session_id")

# The only reference that may cross projects: the target of a bridge.
FAR_END = "to_id"


def schema_version() -> int:
    return schema.newest_version()


def counts(connection: Connection, scope: Scope) -> dict[str, int]:
    """Return the number of rows of each table of a project ("*": all) that the scope may see."""
    return {
        tracked.table: int(
            connection.execute(_of(_COUNT, tracked.table, scope), bound_of(scope)).get
        )
        for tracked in TRACKED
    }


def rows(connection: Connection, scope: Scope) -> Iterator[tuple[str, State]]:
    """Yield table and row in a fixed order, referenced rows first."""
    for tracked in TRACKED:
        query = _of(_ROWS, tracked.table, scope)
        for row in connection.execute(query, bound_of(scope)):
            yield tracked.table, row


def _of(query: str, table: str, scope: Scope) -> str:
    seen = USER_SEEN if table in OWNED else "1"
    return scope_query(query.format(table=table, seen=seen), scope.project_id)


def has_entry(connection: Connection, bound: Mapping[str, str]) -> bool:
    """Return whether the scope has an entry with the same text."""
    return bool(connection.execute(_SAME_ENTRY, bound).get)


class Arrivals:
    """Inserts rows inside the caller's write."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tables = Tables(connection)

    def put(self, table: str, row: Mapping[str, Any], *, bridge: bool) -> str:
        """Add a row; return "" if it is new, "there" if it exists, or why it was skipped."""
        columns = self._tables.columns.get(table)
        if columns is None:
            return f"there is no table {table[:40]!r}"
        unknown = [name for name in row if name not in columns]
        if unknown:
            return f"there is no column {unknown[0][:40]!r} in {table}"
        whole = {name: row.get(name, self._defaults[table].get(name)) for name in columns}
        known = self._tables.row(table, whole["id"])
        if known is not None:
            return "there" if known == whole else f"another {kind_for_table(table)} has this id"
        return self._wrong_reference(table, whole, bridge) or self._insert_row(table, whole)

    def _insert_row(self, table: str, row: State) -> str:
        try:
            self._connection.execute(self._tables.insertion(table), row)
        except apsw.ConstraintError as error:
            if "UNIQUE" in str(error):
                kind = kind_for_table(table)
                return f"another {kind} has its place (its key, title, ends or content)"
            return f"a value is missing or is not what the column holds ({error})"
        return ""

    def _wrong_reference(self, table: str, row: State, bridge: bool) -> str:
        """Return the reference that is missing or in another scope as a text, or ""."""
        for link in self._tables.links:
            if link.table != table or row[link.column] is None:
                continue
            parent = self._tables.row(link.parent, row[link.column])
            what = kind_for_table(link.parent)
            if parent is None:
                return f"its {what} is not there"
            if bridge and link.column == FAR_END:
                continue
            for name in _SHARED:
                if name in parent and name in row and parent[name] != row[name]:
                    return f"its {what} has another {name}"
        return ""

    @cached_property
    def _defaults(self) -> dict[str, State]:
        return {table: self._tables.defaults(table) for table in self._tables.columns}
