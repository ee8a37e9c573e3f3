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
def test_answers_do_not_change_whatever_becomes_of_the_index_file(base, tmp_path, seed):
    assert [] == damage.damaged_index(base, tmp_path / "memory.db", random.Random(seed))


@pytest.mark.slow
def test_an_index_of_another_past_is_not_taken_for_this_ones(base, tmp_path):
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
def test_a_log_that_was_cut_short_loses_its_end_and_nothing_else(tmp_path, cut):
    assert [] == damage.cut_log(tmp_path / "memory.db", cut, seed=1)


@pytest.mark.parametrize("seed", range(2))
def test_full_text_out_of_step_is_noticed_and_mended(tmp_path, seed):
    assert [] == damage.full_text_out_of_step(tmp_path / "memory.db", random.Random(seed))


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_memory_gives_an_error_of_ours_or_an_answer(tmp_path, seed):
    assert [] == damage.damaged_memory(tmp_path / "memory.db", random.Random(seed))


@pytest.mark.parametrize(
    ("table", "column", "act"),
    [
        ("bottles", "message", lambda memory: memory.bottles.create_bottle("mind the gap")),
        ("traces", "query", lambda memory: memory.search.search_memory("rope")),
    ],
    ids=["read", "noted in the background"],
)
def test_a_table_with_another_column_is_told_as_damage_with_the_way_out(
    tmp_path, caplog, table, column, act
):
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


def test_complaints_are_heard(tmp_path):
    path = tmp_path / "memory.db"
    memory = worlds.open_small(path)
    worlds.fill(memory, 2)
    memory.catch_up()
    with memory.db.note() as connection:
        connection.execute("delete from pieces where id = (select min(id) from pieces)")
    memory.close()

    assert complaints(path)
