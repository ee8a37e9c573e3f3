"""Bringing a file up to date keeps what is in it, and leaves those of others alone."""

from __future__ import annotations

import shutil

import apsw
import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.errors import ForeignDatabaseError
from memory_core.storage import schema
from memory_core.storage.database import Database

KEPT = ("entities", "observations", "relations", "changes", "searchables", "pieces")
NUMBERED = sorted(schema.MIGRATIONS.glob("*.sql"))


def opened(path):
    return open_memory(path=path, embedder=HashingEmbedder(), clock=HandClock())


def rows(path):
    """Return every row of every table that is there, but for SQLite's own."""
    connection = apsw.Connection(str(path))
    tables = connection.execute(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
    ).fetchall()
    found = {
        name: connection.execute(f"select * from {name}").fetchall()
        for (name,) in tables
        if not name.startswith("piece_terms")
    }
    connection.close()
    return found


def write_with_the_schema_as_it_was(path):
    """Write with the schema as it was, through the parts that know no more than that."""
    db = Database(path, HandClock())
    now = "2026-01-01T00:00:00.000000Z"
    with db.write("test") as connection:
        connection.execute(
            "insert into entities (id, project_id, key, folded_key, name, folded_names, node_type,"
            " created_at, updated_at) values ('e1', 'default', 'ann', 'ann', 'Ann', '[\"ann\"]',"
            " 'person', ?1, ?1)",
            (now,),
        )
        connection.execute(
            "insert into observations (id, project_id, entity_id, content, digest, created_at,"
            " updated_at) values ('o1', 'default', 'e1', 'Drinks green tea', 'd', ?1, ?1)",
            (now,),
        )
    db.close()


@pytest.mark.parametrize("older", range(1, len(NUMBERED)))
def test_a_file_of_an_older_version_keeps_every_row(tmp_path, monkeypatch, older):
    folder = tmp_path / "migrations"
    folder.mkdir()
    for file in NUMBERED[:older]:
        shutil.copy(file, folder)
    path = tmp_path / "memory.db"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", folder)
        write_with_the_schema_as_it_was(path)
    before = rows(path)

    memory = opened(path)
    found = memory.search.search_memory("green tea")
    memory.close()

    after = rows(path)
    assert {name: before[name] for name in KEPT} == {name: after[name] for name in KEPT}
    assert ["Drinks green tea"] == [hit.text for hit in found.hits if hit.kind == "observation"]


def test_a_file_of_another_program_is_left_untouched(tmp_path):
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute("create table entries (id text, note text)")
    connection.execute("insert into entries values ('1', 'not ours')")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(ForeignDatabaseError, match="tables of another program"):
        opened(path)

    assert before == path.read_bytes()
