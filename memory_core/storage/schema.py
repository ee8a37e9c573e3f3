"""
Schema migrations.

Each numbered migration is one transaction together with its record (user_version). The
triggers of the tracked tables are created again from the real columns after each migration,
so that a new column is always in the audit log.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from apsw import Connection

from ..errors import ForeignDatabaseError
from .history.tracked import TRACKED, triggers

MIGRATIONS = files("memory_core.storage") / "migrations"

# "TVMC": distinguishes our files from those of other programs.
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
    """Return whether the file has tables of another program."""
    ours = connection.pragma("application_id") == APPLICATION_ID
    return not ours and bool(connection.execute(_TABLES).get)


def refuse_foreign(connection: Connection, path: Path) -> None:
    if is_foreign(connection):
        raise ForeignDatabaseError(
            f"{path} contains tables of another program and was not changed. Set SQLITE_DB_FILE to "
            "another file, and import the contents of this one with the tool import_memory."
        )


def migrate(connection: Connection, path: Path) -> None:
    """Apply all pending migrations, each in its own transaction."""
    while version(connection) < newest_version():
        connection.execute("begin immediate")
        try:
            _apply_next(connection, path)
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")


def _apply_next(connection: Connection, path: Path) -> None:
    # Read again under the lock: another process may have migrated the file.
    refuse_foreign(connection, path)
    applied = version(connection)
    pending = migrations()[applied:]
    if not pending:
        return
    # apsw runs a statement that follows a row only after that row was read.
    connection.execute(pending[0].read_text(encoding="utf-8")).fetchall()
    _create_triggers(connection)
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", applied + 1)


def _create_triggers(connection: Connection) -> None:
    for tracked in TRACKED:
        columns = [row["name"] for row in connection.execute(f"pragma table_info({tracked.table})")]
        for op in ("created", "changed", "deleted"):
            connection.execute(f"drop trigger if exists {tracked.table}_{op}")
        # Tables of later migrations do not exist yet.
        for trigger in triggers(tracked, columns) if columns else ():
            connection.execute(trigger)
