"""Life cycle, undo, analytics and upkeep, as a client sees them."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from memory_core import Settings
from memory_core.server.app import build_server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def call(memory, era):
    async with Client(build_server(memory, Settings()), mode=era) as client:

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                return result.content[0].text
            # Structured and text content say the same.
            assert result.content[0].text.startswith(("{", "Done."))
            return result.structured_content

        yield call


async def fill(call):
    await call("create_entity", name="Ann", node_type="person", observations=["likes tea"])
    await call("create_entity", name="Acme", node_type="organization")
    await call(
        "create_relationship",
        from_node_id="ann",
        to_node_id="acme",
        relationship_type="WORKS_AT",
    )


async def names(call, **where):
    found = await call("search_memory", query="tea", **where)
    return [hit["entity"]["name"] for hit in found["hits"] if hit["kind"] == "observation"]


async def test_archived_entities_are_hidden_until_restored(call):
    await fill(call)

    archived = await call("archive_entity", id="ann", reason="moved")
    hidden = await names(call)
    asked_for = await names(call, include_archived=True)
    restored = await call("restore_entity", id="ann")

    assert ("archived", [], ["Ann"]) == (archived["entity"]["status"], hidden, asked_for)
    assert ("archive", ["Ann"]) == (restored["restored_from"], await names(call))


async def test_deletions_are_reverted_by_undo_or_restore(call):
    await fill(call)
    gone = await call("delete_entity", id="ann")
    nothing = await names(call)

    preview = await call("undo", batch_id=gone["batch_id"], dry_run=True)
    undone = await call("undo", batch_id=gone["batch_id"])
    again = await call("undo", batch_id=undone["batch_id"])
    restored = await call("restore_entity", id="ann")

    everything = {"entities": 1, "observations": 1, "relations": 1}
    assert [] == nothing
    assert [everything] * 4 == [
        preview["reverted"],
        undone["reverted"],
        again["reverted"],
        restored["restored"],
    ]
    assert ["Ann"] == await names(call)
    assert "either batch_id or seq" in await call("undo")


async def test_orphans_are_listed(call):
    await fill(call)
    await call("create_entity", name="Zoe", node_type="person")

    assert ["zoe"] == [each["id"] for each in (await call("list_orphans"))["entities"]]


async def test_prune_deletes_what_the_dry_run_listed(call, clock):
    await fill(call)
    await call("archive_entity", id="ann")
    clock.advance(days=40)

    listed = await call("prune_stale", max_age_days=30)
    kept = await call("prune_stale", max_age_days=60, dry_run=False)
    pruned = await call("prune_stale", max_age_days=30, dry_run=False)

    assert (True, ["ann"]) == (listed["dry_run"], [each["id"] for each in listed["entities"]])
    assert [] == kept["entities"]
    assert (listed["entities"], listed["deleted"]) == (pruned["entities"], pruned["deleted"])
    assert "max_age_days" in await call("prune_stale", max_age_days=-1)


async def test_statistics_and_analysis(call):
    empty = await call("analyze_graph", project_id="missing")
    await fill(call)
    await names(call)
    await call("search_memory", query=" ")

    stats = await call("search_stats", window="15m")
    graph = await call("analyze_graph")

    assert (0, []) == (empty["entities"], empty["pagerank"])
    assert (2, {"INVALID_INPUT": 1}, 0.5) == (stats["count"], stats["errors"], stats["error_rate"])
    assert "acme" == graph["pagerank"][0]["id"]
    assert "is not a time window" in await call("search_stats", window="soon")


async def test_a_large_graph_is_analyzed_within_the_budget(call, memory, clock):
    for day in range(35):
        clock.advance(days=1)
        for number in range(6):
            name = f"{'a quite long name of a thing ' * 4}{day} {number}"
            memory.graph.create_entity(name, "concept", id=f"node-{day}-{number}")
            if number:
                memory.relations.create_relation(
                    f"node-{day}-{number}", f"node-{day}-0", "RELATED_TO"
                )

    graph = await call("analyze_graph")

    assert 210 == graph["entities"]
    assert len(json.dumps(graph)) / 4 < 8000


async def test_health_backup_clearing_and_restoring(call, memory):
    await fill(call)
    health = await call("memory_health")
    refused = await call("clear_memory")

    backup = await call("backup_memory", path="mine.db")
    cleared = await call("clear_memory", confirm="default")
    nothing = await names(call)
    await fill(call)
    again = await names(call)
    await call("delete_entity", id="ann")
    await call("restore_backup", path="mine.db", confirm="mine.db")

    assert ("green", []) == (health["report"]["status"], health["repaired"])
    assert "give confirm='default'" in refused
    assert backup["rows"]["entities"] == cleared["erased"]["entities"] == 2
    assert ([], ["Ann"], ["Ann"]) == (nothing, again, await names(call))
    assert "green" == (await call("memory_health", repair=True))["report"]["status"]
    assert "There is no backup file" in await call("restore_backup", path="none.db")


async def test_purging_and_optimizing(call, memory):
    await fill(call)

    refused = await call("purge", ids=["ann"])
    purged = await call("purge", ids=["ann"], confirm="default", backup=False)
    optimized = await call("optimize_memory")

    assert "give confirm='default'" in refused
    assert {"entities": 1, "observations": 1, "relations": 1} == purged["erased"]
    assert [] == await names(call)
    assert "None was archived or deleted" in await call("restore_entity", id="ann")
    assert optimized["after"]["file_bytes"] <= optimized["before"]["file_bytes"]
