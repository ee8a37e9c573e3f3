"""
Reader of SQLite files of other programs.

1. Only copies are opened: SQLite writes to the log of a file even when it only reads.
2. The file may be malicious: its schema is not trusted (no triggers, views or functions
   run), and only ordinary tables are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from ...errors import ValidationError
from .. import schema
from ..history.tracked import TRACKED
from ..open_files import RegisteredConnection

_TABLES = """
select name from sqlite_schema
where type = 'table' and name not like 'sqlite\\_%' escape '\\'
    and lower(ltrim(sql)) not like 'create virtual%'
order by name
"""

# Longer texts are refused by the importer, so they are not read completely.
_LONGEST = 1_000_001


@contextmanager
def open_copy(copy: Path) -> Iterator[apsw.Connection]:
    """Open a private copy; raise ValidationError if it is damaged or not a SQLite file."""
    try:
        connection = RegisteredConnection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
            connection.execute("pragma query_only = on")
            faults = [text for (text,) in connection.execute("pragma quick_check(1)")]
            if faults != ["ok"]:
                raise ValidationError("it is damaged, or was being written")
            yield connection
        finally:
            connection.close()
    except apsw.Error as error:
        raise ValidationError(f"it cannot be read as a SQLite file ({error})") from error


def is_ours(connection: apsw.Connection) -> bool:
    """Return whether the file is a memory; raise ValidationError if it is of a newer version."""
    if connection.pragma("application_id") != schema.APPLICATION_ID:
        return False
    if schema.version(connection) > schema.newest_version():
        raise ValidationError("it was written by a newer version of this program; update it first")
    return True


def own_rows(connection: apsw.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield table and row of a memory, referenced rows first."""
    there = tables(connection)
    for tracked in TRACKED:
        names = there.get(tracked.table, [])
        if names:
            found = connection.execute(f"select * from {tracked.table} order by id")
            yield from ((tracked.table, dict(zip(names, row, strict=True))) for row in found)


def tables(connection: apsw.Connection) -> dict[str, list[str]]:
    """Return the ordinary tables of a file with their columns."""
    names = [str(name) for (name,) in connection.execute(_TABLES)]
    return {
        name: [str(row[1]) for row in connection.execute(f"pragma table_info({_quote_name(name)})")]
        for name in names
    }


def rows(
    connection: apsw.Connection, table: str, columns: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Yield the text values of each row by the keys of *columns*. Other values are skipped."""
    wanted = ", ".join(f"substr({_quote_name(name)}, 1, {_LONGEST})" for name in columns.values())
    for row in connection.execute(f"select {wanted} from {_quote_name(table)}"):
        yield {
            key: value
            for key, value in zip(columns, row, strict=True)
            if isinstance(value, str) and value
        }


def whole_rows(connection: apsw.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table, without bytes; texts are cut like those of rows()."""
    names = [str(row[1]) for row in connection.execute(f"pragma table_info({_quote_name(table)})")]
    wanted = ", ".join(
        f"case typeof({name}) when 'text' then substr({name}, 1, {_LONGEST}) "
        f"when 'blob' then null else {name} end"
        for name in map(_quote_name, names)
    )
    for row in connection.execute(f"select {wanted} from {_quote_name(table)} order by rowid"):
        yield dict(zip(names, row, strict=True))


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
