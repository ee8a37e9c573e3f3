from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.faults import worlds
from benchmarks.faults.checking import ids_of
from memory_core.model.scope import Scope

USER = Scope(user_id="user")


def restored(memory):
    memory.upkeep.create_backup("empty.db")
    memory.conversation.add_facts(["The kettle leaks"], USER)
    memory.graph.create_entity("Ann", "person", id="ann")
    return memory.upkeep.restore_backup("empty.db", confirm="empty.db").replaced


def pruned(memory):
    memory.lifecycle.archive_entities("ann")
    return memory.lifecycle.prune_entities(0, dry_run=False).backup


ACTS = {
    "clear": lambda memory: memory.upkeep.clear_project("default").backup,
    "purge": lambda memory: memory.upkeep.purge_rows(["ann"], confirm="default").backup,
    "prune": pruned,
    "forget": lambda memory: memory.conversation.delete_all_facts(USER).backup,
    "repair": lambda memory: memory.health.checkup(repair=True).backup,
    "restore": restored,
}


@pytest.mark.parametrize("act", ACTS)
def test_backup_before_erasure_contains_the_erased_data(tmp_path, act):
    memory = worlds.open_small(tmp_path / "memory.db")
    if act != "restore":
        memory.graph.create_entity("Ann", "person", id="ann")
        memory.conversation.add_facts(["The kettle leaks"], USER)
    if act == "repair":
        with memory.db.note() as connection:
            connection.execute("delete from piece_terms")

    copy = ACTS[act](memory)
    memory.upkeep.restore_backup(copy, confirm=Path(copy).name)

    assert 1 == len(ids_of(memory, "entities"))
    assert ["The kettle leaks"] == [
        each.content for each in memory.conversation.list_facts(USER).facts
    ]
    memory.close()
