from __future__ import annotations

import pytest
from librarian.towns import SAILING, group, newest_change
from support import HashingEmbedder

from memory_core import ConflictError, ValidationError, open_memory
from memory_core.settings import Settings


def pair_of(suggestion):
    return {suggestion.first.id, suggestion.second.id}


def two(memory, *, first="person", second="person"):
    """Make two entities that are similar."""
    fact = "sails along the northern coast every summer"
    memory.graph.create_entity("One", first, observations=[fact])
    memory.graph.create_entity("Two", second, observations=[fact])


def test_the_radar_shows_similar_pairs_and_writes_nothing(memory):
    two(memory)
    before = newest_change(memory)

    radar = memory.discovery.find_candidates(0.4)

    (pair,) = radar.pairs
    assert ({"one", "two"}, "KNOWS") == (pair_of(pair), pair.relation_type)
    assert 0.4 <= pair.similarity < 1
    assert (before, 0, "") == (newest_change(memory), radar.created, radar.batch_id)


def test_radar_respects_the_threshold(memory):
    two(memory)
    (pair,) = memory.discovery.find_candidates(0.4).pairs

    assert 0 == memory.discovery.find_candidates(min(1.0, pair.similarity + 0.01)).total


def test_persons_are_proposed_as_mentioned_in_sessions(memory):
    two(memory, first="session", second="Person")

    (pair,) = memory.discovery.find_candidates(0.4).pairs

    assert ("two", "MENTIONED_IN", "one") == (pair.first.id, pair.relation_type, pair.second.id)


def test_a_shared_hub_does_not_hide_a_pair(memory):
    two(memory)
    memory.graph.create_entity("Crew", "team")
    memory.relations.create_relation("one", "crew", "MEMBER_OF")
    memory.relations.create_relation("two", "crew", "MEMBER_OF")

    assert [{"one", "two"}] == [
        pair_of(each) for each in memory.discovery.find_candidates(0.4).pairs
    ]


def test_related_pairs_are_excluded_in_both_directions(memory):
    two(memory)
    memory.relations.create_relation("two", "one", "REPORTS_TO")

    assert [] == memory.discovery.find_candidates(0.4).pairs


def test_archived_and_foreign_entities_are_left_out(memory):
    two(memory)
    memory.lifecycle.archive_entities("two")
    fact = "sails along the northern coast every summer"
    memory.graph.create_entity("Three", "person", project_id="other", observations=[fact])

    assert [] == memory.discovery.find_candidates(0.4).pairs


def test_created_relations_record_their_source(memory):
    two(memory)

    radar = memory.discovery.find_candidates(0.4, auto_create=True)

    (relation,) = memory.exploration.hologram("one").relations
    assert ("radar", "KNOWS") == (relation.source, relation.relationship_type)
    assert radar.pairs[0].similarity == pytest.approx(relation.confidence, abs=1e-4)
    memory.undo.undo(radar.batch_id)
    assert [] == memory.exploration.hologram("one").relations


def test_a_second_run_creates_no_duplicates(memory):
    group(memory, SAILING)

    first = memory.discovery.discover_relations(0.4)
    second = memory.discovery.discover_relations(0.4)

    assert (6, 0) == (first.created, second.created)
    assert "unchanged" == second.cycle.status
    assert 0 == memory.discovery.find_candidates(0.4, auto_create=True).created


def test_a_run_can_store_suggestions_only(memory):
    two(memory)
    first = memory.discovery.discover_relations(0.4, auto_create=False)
    memory.bottles.create_bottle("so that the next run looks again")

    second = memory.discovery.discover_relations(0.4, auto_create=False)

    assert [] == memory.exploration.hologram("one").relations
    assert (1, 0) == (first.suggested, second.suggested)
    assert 1 == memory.suggestions.list_suggestions(kind="relation").total


def test_an_accepted_suggestion_becomes_a_relation(memory):
    two(memory)
    memory.discovery.discover_relations(0.4, auto_create=False)
    (found,) = memory.suggestions.list_suggestions().suggestions

    accepted = memory.suggestions.accept_suggestion(found.id, relation_type="reports to")

    (relation,) = memory.exploration.hologram("one").relations
    assert "REPORTS_TO" == relation.relationship_type
    assert f"{relation.from_node_id} REPORTS_TO {relation.to_node_id} was made" == accepted.did
    memory.relations.delete_relation(relation.from_node_id, relation.to_node_id, "REPORTS_TO")
    assert 0 == memory.discovery.find_candidates(0.4).total


def test_a_rejected_pair_stays_rejected(memory):
    two(memory)
    memory.discovery.discover_relations(0.4, auto_create=False)
    (found,) = memory.suggestions.list_suggestions().suggestions

    memory.suggestions.reject_suggestion(found.id)

    assert 0 == memory.discovery.find_candidates(0.4).total
    assert 0 == memory.discovery.discover_relations(0.4).created
    with pytest.raises(ConflictError, match="is rejected and cannot be accepted"):
        memory.suggestions.accept_suggestion(found.id)


def test_suggestions_are_withdrawn_when_the_pair_is_related(memory):
    two(memory)
    memory.discovery.discover_relations(0.4, auto_create=False)
    memory.relations.create_relation("one", "two", "REPORTS_TO")

    memory.discovery.discover_relations(0.4, auto_create=False)

    assert 0 == memory.suggestions.list_suggestions().total
    assert 1 == memory.suggestions.list_suggestions(status="gone").total


def test_entities_without_vectors_are_skipped_with_notice(memory, monkeypatch):
    two(memory)
    memory.catch_up()
    fact = "sails along the northern coast every summer too"
    memory.graph.create_entity("Three", "person", observations=[fact])
    monkeypatch.setattr(memory.discovery, "_follower", None)

    radar = memory.discovery.find_candidates(0.4)

    assert [{"one", "two"}] == [pair_of(each) for each in radar.pairs]
    assert (2, 2) == (radar.compared, radar.pending)
    assert "2 passages have no vector yet" in radar.notice


def test_stored_setting_overrides_environment_and_survives_restart(tmp_path):
    settings = Settings(background_discovery=False, bg_discovery_interval=60)

    def opened():
        return open_memory(settings, path=tmp_path / "m.db", embedder=HashingEmbedder())

    memory = opened()
    memory.discovery.set_background(enabled=True, similarity_threshold=0.9)
    memory.close()
    again = opened()
    status = again.discovery.background_status()
    again.close()

    assert (True, 60, 0.9) == (
        status.enabled,
        status.interval_seconds,
        status.similarity_threshold,
    )
    origins = {"enabled": "chosen", "interval_seconds": "setting", "similarity_threshold": "chosen"}
    assert origins == status.origins
    expected = {"enabled": 0.0, "interval_seconds": 60.0, "similarity_threshold": 0.7}
    assert expected == status.settings


@pytest.mark.parametrize(("name", "value"), [("interval_seconds", 5), ("similarity_threshold", 2)])
def test_out_of_range_setting_is_rejected(memory, name, value):
    with pytest.raises(ValidationError, match=name):
        memory.discovery.set_background(enabled=True, **{name: value})

    assert not memory.discovery.background_status().enabled
