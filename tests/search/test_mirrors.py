"""Copies of the vectors in services elsewhere, against servers that speak their HTTP."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import numpy as np
import pytest
from local_provider import provider
from search.mirror_services import KEY, PineconeKept, UpstashKept
from support import PATIENCE, HashingEmbedder

from memory_core import ConfigurationError, open_memory
from memory_core.errors import ConflictError, UnavailableError
from memory_core.search.mirrors import mirror as mirroring
from memory_core.settings import Settings
from memory_core.storage.search.vector_log import ENTRIES, PIECES

SERVICES = [UpstashKept, PineconeKept]


@contextlib.contextmanager
def mirrored(folder, kept, clock, **more):
    """Yield a memory that is mirrored to *kept*."""
    with provider(kept) as server:
        settings = Settings(
            vector_mirror=kept.name,
            vector_mirror_url=server.address,
            vector_mirror_key=KEY,
            **more,
        )
        memory = open_memory(
            settings, path=folder / "memory.db", embedder=HashingEmbedder(), clock=clock
        )
        yield memory
        memory.close()


def tell(memory, *texts):
    """Write texts about Ann, and give each its vector."""
    with contextlib.suppress(ConflictError):
        memory.graph.create_entity("Ann", "person")
    added = [memory.observations.add_observation("ann", text) for text in texts]
    memory.catch_up()
    return added


def vectors_of(memory, source=PIECES):
    with memory.db.read() as connection:
        model = source.standing(connection).model
        blocks = list(source.all_vectors(connection, model))
    return {
        int(id): row for block in blocks for id, row in zip(block.ids, block.matrix, strict=True)
    }


def states(memory):
    return {status.source: status.state for status in memory.mirror.status()}


@pytest.mark.parametrize("service", SERVICES)
def test_mirror_contains_vectors_by_id_without_texts(tmp_path, clock, service):
    kept = service()
    with mirrored(tmp_path, kept, clock) as memory:
        tell(memory, "keeps the cellar key", "likes tea")
        memory.entries.write_entry("Tea at four", ["a", "b", "c", "d", "e"], category="other")
        memory.catch_up()
        sent = memory.mirror.catch_up()
        pieces, entries = vectors_of(memory), vectors_of(memory, ENTRIES)
        after = states(memory)

    assert (len(pieces) + len(entries), 1) == (sent, len(entries))
    assert {"pieces": "level", "entries": "level"} == after
    for space, expected in (("memory-pieces", pieces), ("memory-entries", entries)):
        assert expected.keys() == kept.ids(space)
        for id, row in kept.spaces[space].items():
            assert {"id", "vector"} == row.keys()
            np.testing.assert_allclose(expected[int(id)], row["vector"], atol=1e-6)


@pytest.mark.parametrize("service", SERVICES)
def test_a_mirror_follows_edits_and_deletions(tmp_path, clock, service):
    kept = service()
    with mirrored(tmp_path, kept, clock) as memory:
        first, *_ = tell(memory, "keeps the cellar key", "likes tea")
        memory.mirror.catch_up()
        memory.observations.delete_observation(first.observation.id)
        tell(memory, "likes coffee")
        behind = states(memory)["pieces"]
        sent = memory.mirror.catch_up()
        held, asked = vectors_of(memory), kept.requests
        again = memory.mirror.catch_up()

    assert ("behind", held.keys()) == (behind, kept.ids("memory-pieces"))
    assert 2 <= sent < 2 + len(held)
    assert (0, asked) == (again, kept.requests)


@pytest.mark.parametrize("service", SERVICES)
def test_mirror_is_rebuilt_when_the_log_does_not_match(tmp_path, clock, service):
    kept = service()
    with mirrored(tmp_path, kept, clock) as memory:
        tell(memory, "keeps the cellar key")
        memory.mirror.catch_up()
        kept.spaces["memory-pieces"]["999"] = {"id": "999"}
        memory.reindex()
        memory.mirror.catch_up()
        after_reindexing = kept.ids("memory-pieces")
        kept.spaces["memory-pieces"].clear()
        memory.mirror.rebuild()
        held = vectors_of(memory)

    assert held.keys() == after_reindexing == kept.ids("memory-pieces")


def test_failed_mirror_is_reported_only_by_health(tmp_path, clock):
    kept = UpstashKept()
    with mirrored(tmp_path, kept, clock) as memory:
        kept.failing = True
        tell(memory, "keeps the cellar key")
        with pytest.raises(UnavailableError) as caught:
            memory.mirror.catch_up()
        found = memory.search.search_memory("cellar key")
        report = memory.health.health_report(thorough=False)
        kept.failing = False
        memory.mirror.catch_up()
        repaired = memory.health.health_report(thorough=False)
        held = vectors_of(memory)

    assert ("keeps the cellar key", "") == (found.hits[0].passages[0].text, found.notice)
    assert "amber" == report.status
    assert "The mirror upstash" in report.problems[0].what
    assert KEY not in str(caught.value) + report.model_dump_json()
    assert ("green", held.keys()) == (repaired.status, kept.ids("memory-pieces"))


def test_interrupted_mirror_rebuild_is_resumed(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(mirroring, "BATCH", 2)
    kept = PineconeKept()
    with mirrored(tmp_path, kept, clock) as memory:
        added = tell(memory, *(f"text number {number}" for number in range(7)))
        turns = iter([True, True, True, False, False])
        first = memory.mirror.catch_up(lambda: next(turns))
        there = kept.ids("memory-pieces")
        memory.observations.delete_observation(added[0].observation.id)
        tell(memory, "one more")
        building = states(memory)["pieces"]
        memory.mirror.catch_up()
        held = vectors_of(memory)

    assert (4, 4, "building") == (first, len(there), building)
    assert held.keys() == kept.ids("memory-pieces")
    kept_since = there & held.keys()
    assert (3, {1}) == (
        len(kept_since),
        {kept.sent["memory-pieces", str(id)] for id in kept_since},
    )


@pytest.mark.parametrize("service", SERVICES)
def test_erased_and_superseded_rows_leave_the_mirror(tmp_path, clock, service):
    kept = service()
    with mirrored(tmp_path, kept, clock) as memory:
        tell(memory, "keeps the cellar key")
        # The copy knows of a mirror that was level with it, and not of what came there later.
        memory.mirror.catch_up()
        copy = memory.upkeep.create_backup().path
        tell(memory, "likes tea")
        memory.mirror.catch_up()
        memory.upkeep.clear_project("default", backup=False)
        memory.mirror.catch_up()
        after_clearing = kept.ids("memory-pieces")
        tell(memory, "something new", "and more of it")
        memory.mirror.catch_up()
        memory.upkeep.restore_backup(copy, confirm=Path(copy).name)
        memory.catch_up()
        memory.mirror.catch_up()
        held = vectors_of(memory)

    assert set() == after_clearing
    assert held.keys() == kept.ids("memory-pieces") and held


def test_mirror_at_a_new_address_is_built_from_scratch(tmp_path, clock):
    former, newer = UpstashKept(), UpstashKept()
    with mirrored(tmp_path, former, clock) as memory:
        tell(memory, "keeps the cellar key")
        memory.mirror.catch_up()
    with mirrored(tmp_path, newer, clock) as memory:
        before = states(memory)["pieces"]
        memory.mirror.catch_up()
        held = vectors_of(memory)

    assert ("new", held.keys()) == (before, newer.ids("memory-pieces"))


def test_mirror_includes_texts_when_enabled(tmp_path, clock):
    kept = UpstashKept()
    with mirrored(tmp_path, kept, clock, vector_mirror_text=True) as memory:
        tell(memory, "keeps the cellar key")
        memory.mirror.catch_up()

    said = [row["metadata"] for row in kept.spaces["memory-pieces"].values()]
    assert "keeps the cellar key" in [each["text"] for each in said]
    assert {"entities", "observations"} == {each["kind"] for each in said}
    assert all(each["project_id"] == "default" and each["row_id"] for each in said)


def test_mirror_is_updated_in_the_background(tmp_path, clock):
    kept, arrived = UpstashKept(), threading.Event()
    answer = kept.answer

    def noticed(asked):
        if asked.path.startswith("/upsert"):
            arrived.set()
        return answer(asked)

    kept.answer = noticed
    with mirrored(tmp_path, kept, clock) as memory:
        memory.warm()
        memory.graph.create_entity("Ann", "person")
        assert arrived.wait(PATIENCE)

    assert not any(thread.name == "mirror" for thread in threading.enumerate())


def test_a_mirror_is_off_unless_set_and_needs_address_and_key(tmp_path):
    half = Settings(vector_mirror="pinecone")
    clear = Settings(
        vector_mirror="pinecone",
        vector_mirror_url="http://192.0.2.1",
        vector_mirror_key=KEY,
        vector_mirror_allow_remote=True,
    )
    memory = open_memory(path=tmp_path / "m.db", embedder=HashingEmbedder())
    off = (memory.mirror, memory.health.health_report(thorough=False).vectors.mirrors)
    memory.close()

    assert (None, []) == off
    for settings, said in ((half, "VECTOR_MIRROR_URL and VECTOR_MIRROR_KEY"), (clear, "https")):
        with pytest.raises(ConfigurationError, match=said):
            open_memory(settings, path=tmp_path / "n.db", embedder=HashingEmbedder())


def test_remote_mirror_requires_permission(tmp_path, clock):
    settings = Settings(
        vector_mirror="upstash", vector_mirror_url="https://192.0.2.1", vector_mirror_key=KEY
    )
    memory = open_memory(settings, path=tmp_path / "m.db", embedder=HashingEmbedder())
    tell(memory, "keeps the cellar key")
    with pytest.raises(UnavailableError, match="VECTOR_MIRROR_ALLOW_REMOTE"):
        memory.mirror.catch_up()
    memory.close()
