"""Two versions of this program on one file."""

from __future__ import annotations

import apsw
import pytest

from benchmarks.faults import worlds
from benchmarks.faults.checking import complaints
from benchmarks.faults.children import answer_of
from benchmarks.faults.older_file import write_older_file
from memory_core import NewerDatabaseError
from memory_core.storage import schema


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def add_a_migration(folder):
    """Give *folder* every migration there is, and one more that adds columns and a table."""
    for file in schema.MIGRATIONS.glob("*.sql"):
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "9999_next.sql").write_text(
        "alter table entities add column colour text not null default 'grey';"
        "alter table observations add column colour text not null default 'grey';"
        "create table marvels (id text primary key)"
    )


def migrate(path, folder):
    """Open the file as the next version does, and write with it."""
    schema.MIGRATIONS = folder
    memory = worlds.open_small(path)
    memory.graph.create_entity("Bob", "person")
    memory.close()


@pytest.mark.process
def test_older_process_stops_writing_after_a_migration(path, tmp_path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    add_a_migration(folder)
    older = worlds.open_small(path)
    older.graph.create_entity("Ann", "person")
    fact = older.observations.add_observation("ann", "likes tea").observation
    answer_of(migrate, path, folder)

    for write in (
        lambda: older.graph.create_entity("Cat", "person"),
        lambda: older.observations.update_observation(fact.id, "likes milk"),
        lambda: older.bottles.create_bottle("hello"),
        older.catch_up,
    ):
        with pytest.raises(NewerDatabaseError, match="Update this program"):
            write()
    names = [entity.name for entity in older.graph.list_entities().entities]
    facts = older.exploration.hologram("ann").nodes[0].observations
    older.close()
    assert ["Ann", "Bob"] == names
    assert ["likes tea"] == [fact.content for fact in facts]


def test_running_process_rejects_a_file_migrated_by_an_update(path, tmp_path, monkeypatch):
    folder = tmp_path / "migrations"
    folder.mkdir()
    add_a_migration(folder)
    running = worlds.open_small(path)
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    worlds.open_small(path).close()

    with pytest.raises(NewerDatabaseError):
        running.graph.create_entity("Ann", "person")
    running.close()


def test_newer_database_files_are_not_modified(path):
    memory = worlds.open_small(path)
    memory.graph.create_entity("Ann", "person")
    memory.close()
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.pragma("user_version", 999)
    connection.close()
    before = path.read_bytes()

    newer = worlds.open_small(path)
    assert "Ann" == newer.graph.get_entity("ann").entity.name
    with pytest.raises(NewerDatabaseError):
        newer.graph.create_entity("Bob", "person")
    newer.close()

    assert before == path.read_bytes()


@pytest.mark.parametrize("versions", range(1, 9))
def test_files_of_all_older_versions_are_migrated(path, versions):
    write_older_file(path, versions, observations=5)

    assert [] == complaints(path)
    memory = worlds.open_small(path)
    assert 5 == len(memory.exploration.hologram("ann").nodes[0].observations)
    memory.close()
