"""The demonstration project as a visitor finds it in the memory."""

from __future__ import annotations

from datetime import datetime

import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.model.facts.fact_review import FactScopeFilter
from memory_core.model.scope import Scope


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """A memory with the demonstration in it; tests only read it."""
    path = tmp_path_factory.mktemp("demonstration") / "memory.db"
    memory = open_memory(path=path, embedder=HashingEmbedder(), clock=HandClock())
    memory.demonstration.load_demonstration()
    yield memory
    memory.close()


def test_loading_the_demonstration_is_idempotent(memory):
    first = memory.demonstration.load_demonstration()
    seq = memory.atlas.version()
    second = memory.demonstration.load_demonstration()

    assert (101, 222, 168, 4, 8, 12, 13) == tuple(first.values())
    assert {0} == set(second.values())
    assert seq == memory.atlas.version()


def test_demonstration_keeps_times_and_sessions(loaded):
    facts = loaded.atlas.card("crew", project_id="harbour").observations
    standups = next(fact for fact in facts if fact.content.startswith("Standups"))

    assert datetime.fromisoformat("2026-06-09T16:59:00Z") == standups.occurred_at
    assert "session-02" == standups.session_id
    assert loaded.graph.get_entity("session-02", project_id="harbour")


def test_replaced_demonstration_facts_are_superseded(loaded):
    facts = loaded.atlas.card("booking-api", project_id="harbour").observations
    newer = next(fact for fact in facts if fact.content.startswith("The seat hold was cut"))

    assert datetime.fromisoformat("2026-08-04T13:02:00Z") == newer.occurred_at == newer.valid_from
    assert "session-06" == newer.session_id
    assert all(fact.status == "active" for fact in facts)


def test_retired_entities_are_archived_with_reason(loaded):
    redis = loaded.graph.get_entity("redis", project_id="harbour").entity

    assert "archived" == redis.status
    assert "Holds moved to PostgreSQL" in redis.archive_reason


def test_demonstration_is_reverted_by_one_undo(memory):
    memory.demonstration.load_demonstration()
    (event,) = memory.timelines.list_events(project_id="harbour", order="DESC", limit=1).events
    memory.undo.undo(event.batch_id, project_id="harbour")

    assert "demonstration" == event.actor
    assert 0 == memory.graph.list_entities(project_id="harbour", status="all").total


def test_demonstration_has_current_and_superseded_facts(loaded):
    everybody = FactScopeFilter(project_id="harbour")
    counts = loaded.fact_review.count_facts(everybody)
    fused = loaded.fact_review.list_merged(everybody).fused
    of_ruth = loaded.conversation.list_facts(Scope(project_id="harbour", user_id="ruth")).facts
    jobs = loaded.fact_review.list_jobs(everybody)

    assert (11, 1) == (counts.active, counts.superseded)
    assert ["superseded"] == [each.fate for each in fused]
    assert any("and on Saturdays" in fact.content for fact in of_ruth) and len(of_ruth) == 2
    assert ["stored", "stored", "waiting_for_assistant"] == sorted(j.status for j in jobs.jobs)
    assert {"", "ines", "mara", "ruth", "tomasz"} == {
        each.user_id for each in loaded.fact_review.list_holders("harbour")
    } - {"yuki"}
