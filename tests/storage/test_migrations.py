"""Migrations keep every row, and files of other programs are left unchanged."""

from __future__ import annotations

import apsw
import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.errors import ForeignDatabaseError
from memory_core.storage import schema

KEPT = ("entities", "observations", "relations", "changes", "searchables")
NUMBERED = sorted(schema.MIGRATIONS.glob("*.sql"))
# The columns of the audit log that every version has.
CHANGES = """
select seq, at, actor, cause, kind, row_id, subject_id, object_id, op, project_id, batch_id, state
from changes order by seq
"""
# A trigger of the versions up to 8.
TRIGGER = """
create trigger {table}_created after insert on {table} begin
    insert into changes (at, actor, cause, kind, row_id, subject_id, object_id,
        op, project_id, batch_id, state)
    select at, actor, cause, '{table}', new.id, new.{subject}, null, 'created', new.project_id,
        batch_id, json_object({fields})
    from change_context;
    insert into searchables (kind, row_id, subject_id, project_id, active, text, seq)
    values ('{table}', new.id, new.{subject}, new.project_id, 1, new.{text},
        (select max(seq) from changes));
end
"""


def opened(path):
    return open_memory(path=path, embedder=HashingEmbedder(), clock=HandClock())


def rows(path):
    """Return the rows of the tables that every version has."""
    connection = apsw.Connection(str(path))
    found = {
        name: connection.execute(
            CHANGES if name == "changes" else f"select * from {name}"
        ).fetchall()
        for name in KEPT
    }
    connection.close()
    return found


def write_older_file(path, version):
    """Write a file of schema *version*, 8 at most, by its own triggers."""
    connection = apsw.Connection(str(path))
    for file in NUMBERED[:version]:
        connection.execute(file.read_text(encoding="utf-8"))
    for table, subject, text in (
        ("entities", "id", "name"),
        ("observations", "entity_id", "content"),
    ):
        columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
        fields = ", ".join(f"'{name}', new.{name}" for name in columns)
        connection.execute(TRIGGER.format(table=table, subject=subject, text=text, fields=fields))
    connection.pragma("application_id", schema.APPLICATION_ID)
    connection.pragma("user_version", version)
    now = "2026-01-01T00:00:00.000001Z"
    connection.execute("update change_context set at = ?, actor = 'a', batch_id = 'b1'", (now,))
    connection.execute(
        "insert into entities (id, project_id, key, folded_key, name, folded_names, node_type,"
        " created_at, updated_at) values ('e1', 'default', 'ann', 'ann', 'Ann', '[\"ann\"]',"
        " 'person', ?1, ?1)",
        (now,),
    )
    connection.execute("update change_context set at = ?, batch_id = 'b2'", (now[:-3] + "99Z",))
    for number in range(3):
        connection.execute(
            "insert into observations (id, project_id, entity_id, content, digest, created_at,"
            " updated_at) values (?2, 'default', 'e1', 'Drinks green tea ' || ?2, ?2, ?1, ?1)",
            (now, f"o{number}"),
        )
    if version >= 7:
        # Indexed when it is opened.
        connection.execute("update full_text_state set reindexed_to = 0")
    connection.close()


@pytest.mark.parametrize("older", range(1, 9))
def test_a_file_of_an_older_version_keeps_every_row(tmp_path, older):
    path = tmp_path / "memory.db"
    write_older_file(path, older)
    before = rows(path)

    memory = opened(path)
    found = memory.search.search_memory("green tea")
    memory.close()

    assert before == rows(path)
    assert 3 == len([hit.text for hit in found.hits if "green tea" in hit.text])


def test_the_seq_of_an_erased_change_is_not_used_again_after_the_migration(tmp_path):
    path = tmp_path / "memory.db"
    write_older_file(path, 8)
    connection = apsw.Connection(str(path))
    connection.execute("delete from changes where seq > 2")
    connection.close()

    memory = opened(path)
    memory.graph.create_entity("Bob", "person")
    memory.close()

    connection = apsw.Connection(str(path))
    assert [1, 2, 5] == [row[0] for row in connection.execute("select seq from changes")]
    connection.close()


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
