"""Migrations keep every row, and files of other programs are left unchanged."""

from __future__ import annotations

import apsw
import pytest
from support import HandClock, HashingEmbedder

from benchmarks.faults.older_file import write_older_file
from memory_core import open_memory
from memory_core.errors import ForeignDatabaseError

KEPT = ("entities", "observations", "relations", "changes", "searchables")
# The columns of the audit log that every version has.
CHANGES = """
select seq, at, actor, cause, kind, row_id, subject_id, object_id, op, project_id, batch_id, state
from changes order by seq
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
