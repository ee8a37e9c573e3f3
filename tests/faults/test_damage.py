"""Files that are not as they were left; tests/search/test_snapshot.py goes into the index."""

from __future__ import annotations

import random
import shutil
from contextlib import closing

import apsw
import pytest

from benchmarks.faults import damage, worlds
from benchmarks.faults.checking import complaints, complaints_of
from memory_core.errors import StorageError


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A memory with a saved index snapshot."""
    path = tmp_path_factory.mktemp("indexed") / "memory.db"
    damage.make_indexed(path)
    return path


@pytest.mark.parametrize("seed", range(4))
def test_damaged_index_files_do_not_change_results(base, tmp_path, seed):
    assert [] == damage.damaged_index(base, tmp_path / "memory.db", random.Random(seed))


@pytest.mark.slow
def test_index_of_another_history_is_rejected(base, tmp_path):
    path, old = tmp_path / "memory.db", tmp_path / "old.db"
    shutil.copy(base, path)
    shutil.copy(base, old)
    memory = worlds.open_small(path)
    damage.write_facts(memory, "rope-0", 1100, "lost")
    memory.search.search_memory("rope")
    memory.close()
    shutil.copy(old, path)
    memory = worlds.open_small(path)
    damage.write_facts(memory, "rope-0", 1100, "kept")

    found = complaints_of(memory)
    wanted = [damage.fact(number, "kept") for number in (7, 77, 777)]
    best = [
        memory.search.search_memory(text, channel_weights={"lexical": 0}).hits[0].text
        for text in wanted
    ]

    assert [] == found
    assert wanted == best
    memory.close()


@pytest.mark.parametrize("cut", [0.0, 0.45, 0.99])
def test_truncated_wal_loses_only_its_tail(tmp_path, cut):
    assert [] == damage.cut_log(tmp_path / "memory.db", cut, seed=1)


@pytest.mark.parametrize("seed", range(2))
def test_inconsistent_full_text_index_is_detected_and_repaired(tmp_path, seed):
    assert [] == damage.full_text_out_of_step(tmp_path / "memory.db", random.Random(seed))


@pytest.mark.parametrize("seed", range(3))
def test_damaged_database_returns_results_or_our_errors(tmp_path, seed):
    assert [] == damage.damaged_memory(tmp_path / "memory.db", random.Random(seed))


@pytest.mark.parametrize(
    ("table", "column", "act"),
    [
        ("bottles", "message", lambda memory: memory.bottles.create_bottle("mind the gap")),
        ("traces", "query", lambda memory: memory.search.search_memory("rope")),
    ],
    ids=["read", "noted in the background"],
)
def test_changed_table_is_reported_as_damage_with_a_fix(tmp_path, caplog, table, column, act):
    path = tmp_path / "memory.db"
    worlds.open_small(path).close()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(f"alter table {table} rename column {column} to other")
    memory = worlds.open_small(path)

    try:
        act(memory)
    except StorageError as error:
        said = str(error)
    else:
        memory.telemetry.flush()
        said = caplog.text

    assert f"{path}: its tables were changed by another program; restore a backup" in said
    assert column in said
    memory.close()


def test_failed_checks_are_reported(tmp_path):
    path = tmp_path / "memory.db"
    memory = worlds.open_small(path)
    worlds.fill(memory, 2)
    memory.catch_up()
    with memory.db.note() as connection:
        connection.execute("delete from pieces where id = (select min(id) from pieces)")
    memory.close()

    assert complaints(path)
