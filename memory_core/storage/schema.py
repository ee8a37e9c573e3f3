"""
Bringing a memory file up to date, or refusing to touch it.

Each numbered migration is one transaction with its record (user_version): a
failing one leaves nothing. The triggers of the tracked tables are made anew
from the real columns after each, so a new column cannot be forgotten.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from apsw import Connection

from ..errors import ForeignDatabaseError
from .history.tracked import TRACKED, triggers

MIGRATIONS = files("memory_core.storage") / "migrations"

# "TVMC": tells our files from those of other programs.
APPLICATION_ID = 0x54564D43

_TABLES = """
select count(*) from sqlite_schema where type = 'table'
"""


def newest_version() -> int:
    return len(migrations())


def migrations() -> list[Traversable]:
    found = [file for file in MIGRATIONS.iterdir() if file.name.endswith(".sql")]
    return sorted(found, key=lambda file: file.name)


def version(connection: Connection) -> int:
    return int(connection.pragma("user_version"))


def is_foreign(connection: Connection) -> bool:
    """Return whether the file has tables that are not ours."""
    ours = connection.pragma("application_id") == APPLICATION_ID
    return not ours and bool(connection.execute(_TABLES).get)


def refuse_foreign(connection: Connection, path: Path) -> None:
    if is_foreign(connection):
        raise ForeignDatabaseError(
            f"{path} holds tables of another program and was left untouched. Name another file "
            "in SQLITE_DB_FILE, and import its contents with the tool import_memory."
        )


def migrate(connection: Connection, path: Path) -> None:
    """Apply every pending migration, each in a transaction of its own."""
    while version(connection) < newest_version():
        connection.execute("begin immediate")
        try:
            _apply_next(connection, path)
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")


def _apply_next(connection: Connection, path: Path) -> None:
    # Looked up again under the lock: another process may have been quicker.
    refuse_foreign(connection, path)
    applied = version(connection)
    pending = migrations()[applied:]
    if not pending:
        return
    # Of several statements, apsw runs those after a row only once it is read.
    connection.execute(pending[0].read_text(encoding="utf-8")).fetchall()
    _journal_tracked_tables(connection)
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", applied + 1)


def _journal_tracked_tables(connection: Connection) -> None:
    for tracked in TRACKED:
        columns = [row["name"] for row in connection.execute(f"pragma table_info({tracked.table})")]
        for op in ("created", "changed", "deleted"):
            connection.execute(f"drop trigger if exists {tracked.table}_{op}")
        # A table of a later migration is not there yet while an earlier one runs.
        for trigger in triggers(tracked, columns) if columns else ():
            connection.execute(trigger)
