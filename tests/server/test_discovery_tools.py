"""Discovery and the librarian through a real client: progress, cancelling, what comes back."""

from __future__ import annotations

import threading

import anyio
import pytest
from librarian.towns import BAKING, SAILING, concepts, group, members
from mcp import Client
from support import PATIENCE

from memory_core.context import is_cancelled
from memory_core.librarian.clusters import find_clusters
from memory_core.server.app import build_server

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(memory, era):
    async with Client(build_server(memory, memory.settings), mode=era) as connected:
        yield connected


def until_cancelled(*args, **options):
    """Group as ever, but not before the call was cancelled."""
    pause = threading.Event()
    for _ in range(100 * PATIENCE):
        if is_cancelled() or pause.wait(0.01):
            break
    return find_clusters(*args, **options)


async def answer(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def test_radar_creates_requested_relations_once(client, memory):
    fact = "sails along the northern coast every summer"
    for name, kind in (("Ann", "person"), ("Monday", "session")):
        memory.graph.create_entity(name, kind, observations=[fact])

    looked = await answer(client, "semantic_radar", similarity_threshold=0.4)
    made = await answer(client, "semantic_radar", similarity_threshold=0.4, auto_create=True)
    again = await answer(client, "run_relationship_discovery", similarity_threshold=0.4)

    (pair,) = looked["pairs"]
    expected = ("ann", "MENTIONED_IN", "monday")
    assert expected == (pair["first"]["id"], pair["relation_type"], pair["second"]["id"])
    assert (0, 1, 0) == (looked["created"], made["created"], again["created"])


async def test_background_discovery_is_toggled_and_reported(client):
    off = await answer(client, "get_background_discovery_status")
    on = await answer(client, "set_background_discovery", enabled=True, interval_seconds=60)
    same = await answer(client, "set_background_discovery", enabled=True)
    end = await answer(client, "set_background_discovery", enabled=False)

    assert (False, False) == (off["enabled"], off["running"])
    assert (True, 60, 60) == (on["enabled"], on["interval_seconds"], same["interval_seconds"])
    assert (False, False) == (end["enabled"], end["running"])


async def test_cycle_creates_one_concept_per_cluster_once(client, memory):
    group(memory, SAILING)
    group(memory, BAKING)

    tried = await answer(client, "run_librarian_cycle", dry_run=True)
    first = await answer(client, "run_librarian_cycle")
    second = await answer(client, "run_librarian_cycle")

    names = {"Rope, anchor and mast", "Dough, flour and oven"}
    assert names == {each["name"] for each in tried["concepts"]}
    assert names == {each["name"] for each in first["concepts"]} == concepts(memory).keys()
    assert ("unchanged", []) == (second["cycle"]["status"], second["concepts"])


async def test_cycle_progress_is_reported_to_the_client(client, memory):
    group(memory, SAILING)
    reported = []

    async def listen(progress, total, message):
        reported.append((progress, total, message))

    result = await client.call_tool("run_librarian_cycle", {}, progress_callback=listen)

    assert not result.is_error
    numbers = [progress for progress, _, _ in reported]
    assert sorted(set(numbers)) == numbers
    assert "grouping" in {message for _, _, message in reported}


async def test_cancelling_a_call_stops_the_cycle_between_transactions(client, memory, monkeypatch):
    monkeypatch.setattr("memory_core.librarian.jobs.find_clusters", until_cancelled)
    group(memory, SAILING)
    group(memory, BAKING)
    ended = anyio.Event()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as calls:

            async def leave(progress, total, message):
                if message == "grouping":
                    calls.cancel_scope.cancel()

            async def call():
                try:
                    await client.call_tool("run_librarian_cycle", {}, progress_callback=leave)
                finally:
                    ended.set()

            calls.start_soon(call)
        await ended.wait()
        while memory.librarian.list_cycles().cycles[0].status == "running":
            await anyio.lowlevel.checkpoint()

    monkeypatch.undo()
    assert "cancelled" == memory.librarian.list_cycles().cycles[0].status
    assert all(4 == len(members(memory, each.id)) for each in concepts(memory).values())
    report = await answer(client, "run_librarian_cycle")
    assert "done" == report["cycle"]["status"]
    assert 2 == len(concepts(memory))
