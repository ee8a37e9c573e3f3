"""Upkeep as a client sees it."""

from __future__ import annotations

import itertools

import pytest
from support import HashingEmbedder

from memory_core import open_memory


@pytest.fixture
def facts(tool_client):
    tool_client("create_entity", name="Orders", node_type="service")
    for text in ("the queue retries three times", "tea is served at four"):
        tool_client("add_observation", entity_id="orders", content=text)
    return tool_client


def test_vectors_of_two_models_are_never_mixed(facts, memory, connect):
    memory.catch_up()
    memory.close()
    count = itertools.count(500)
    other = open_memory(
        path=memory.db.path, embedder=HashingEmbedder(), ids=lambda: f"id{next(count):05}"
    )
    tool_client = connect(other)

    before = tool_client("search_memory", query="queue retries")
    made = tool_client("optimize_memory", reindex=True)["vectors_made"]
    after = tool_client("search_memory", query="queue retries")
    other.close()

    assert ["lexical"] == before["channels"] and before["hits"]
    assert "reindex=true" in before["notice"]
    assert 3 == made
    assert {"lexical", "vector"} == set(after["channels"])
    assert "" == after["notice"]


def test_an_unreadable_index_is_rebuilt(facts, memory, connect):
    before = facts.texts("queue retries")
    memory.close()
    snapshot = memory.db.path.with_name(f"{memory.db.path.name}-vectors")
    snapshot.write_bytes(b"rubbish" * 1000)
    again = open_memory(path=memory.db.path, embedder=memory.embedder)

    assert before == connect(again).texts("queue retries")
    again.close()


def test_health_reports_problems_and_repair_fixes_them(facts, memory):
    memory.catch_up()
    sound = facts("memory_health")["report"]
    with memory.db.note() as connection:
        connection.execute("delete from piece_terms where rowid in (select max(id) from pieces)")

    damaged = facts("memory_health")["report"]
    repaired = facts("memory_health", repair=True)["report"]

    assert [] == sound["problems"] == repaired["problems"]
    assert damaged["problems"][0]["way_out"]
    assert facts.texts("tea", channel_weights={"vector": 0})


def test_backups_are_verified_and_restorable(facts, memory):
    copy = facts("backup_memory")
    facts("delete_entity", id="orders")
    name = copy["path"].rsplit("/", 1)[-1]
    facts("restore_backup", path=copy["path"], confirm=name)

    assert "the queue retries three times" in facts.texts("queue retries")


def test_purge_removes_the_history_too(facts):
    assert facts.refusal("purge", ids=["orders"], confirm="")
    facts("purge", ids=["orders"], confirm="default")

    past = facts("point_in_time_query", as_of_iso_timestamp="2026-01-01")
    assert [] == past["entities"]
    assert [] == facts("search_memory", query="queue retries")["hits"]


def test_pruning_lists_before_it_deletes(facts, clock):
    facts("archive_entity", id="orders")
    clock.advance(days=100)

    listed = facts("prune_stale", max_age_days=30)
    gone = facts("prune_stale", max_age_days=30, dry_run=False)

    assert ["orders"] == [each["id"] for each in listed["entities"]]
    assert [each["id"] for each in listed["entities"]] == [each["id"] for each in gone["entities"]]
    assert "There is no entity" in facts.refusal("get_hologram", node_id="orders")


def test_deleted_records_can_be_restored(facts):
    facts("delete_entity", id="orders")
    facts("restore_entity", id="orders")

    assert "the queue retries three times" in facts.texts("queue retries")
