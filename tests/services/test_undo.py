from __future__ import annotations

import pytest

from memory_core import ConflictError, NotFoundError, ValidationError, acting_as
from memory_core.context import as_one_batch


def facts_of(memory, id):
    return {o.content for o in memory.exploration.hologram(id).nodes[0].observations}


def test_merges_are_undone(memory):
    memory.graph.create_entity("Postgres 15", "technology", observations=["fast", "old"])
    memory.graph.create_entity("PostgreSQL", "technology", observations=["fast", "big"])
    memory.graph.create_entity("Orders", "service")
    memory.relations.create_relation("orders", "postgresql", "DEPENDS_ON")
    merged = memory.graph.merge_entities("postgres-15", ["postgresql"])

    undone = memory.undo.undo(merged.batch_id)

    assert [] == undone.left_alone
    assert [] == memory.graph.get_entity("postgres-15").entity.aliases
    assert {"fast", "old"} == facts_of(memory, "postgres-15")
    assert {"fast", "big"} == facts_of(memory, "postgresql")
    (relation,) = memory.exploration.hologram("postgresql").relations
    assert ("orders", "postgresql") == (relation.from_node_id, relation.to_node_id)


def test_rows_changed_since_are_reported_and_skipped(memory):
    with as_one_batch("bulk"):
        memory.graph.create_entity("Ann", "person")
        memory.graph.create_entity("Bob", "person")
    with acting_as("cursor"):
        memory.graph.update_entity("ann", properties={"team": "core"})

    undone = memory.undo.undo("bulk")

    (left,) = undone.left_alone
    assert ("entity", "ann", "Ann") == (left.kind, left.id, left.name)
    assert "changed since by cursor" in left.why
    assert {"entities": 1} == undone.reverted
    assert ["Ann"] == [entity.name for entity in memory.graph.list_entities().entities]


def test_undo_of_a_creation_keeps_later_dependents(memory):
    with as_one_batch("bulk"):
        memory.graph.create_entity("Ann", "person")
    memory.observations.add_observation("ann", "likes tea")

    undone = memory.undo.undo("bulk")

    assert {} == undone.reverted
    assert "" == undone.batch_id
    assert "1 rows that came later hang on it" == undone.left_alone[0].why
    assert {"likes tea"} == facts_of(memory, "ann")


def test_relations_with_deleted_ends_are_not_restored(memory):
    memory.graph.create_entity("Ann", "person")
    memory.graph.create_entity("Acme", "organization")
    memory.relations.create_relation("ann", "acme", "WORKS_AT")
    gone = memory.graph.delete_entity("ann")
    memory.graph.delete_entity("acme")

    undone = memory.undo.undo(gone.batch_id)

    assert {"entities": 1} == undone.reverted
    assert [("relation", "Ann \u2192 works at \u2192 Acme", "its end is not there any more")] == [
        (left.kind, left.title, left.why) for left in undone.left_alone
    ]
    assert "title" not in undone.model_dump()["left_alone"][0]


def test_a_name_that_was_taken_since_is_a_conflict(memory):
    memory.graph.create_entity("Ann", "person", properties={"old": True})
    gone = memory.graph.delete_entity("ann")
    memory.graph.create_entity("Ann", "person", properties={"new": True})

    undone = memory.undo.undo(gone.batch_id)

    assert ["another row has its place (its id, name or content) now"] == [
        left.why for left in undone.left_alone
    ]
    assert {"new": True} == memory.graph.get_entity("ann").entity.properties


def test_two_facts_that_swapped_places_are_swapped_back(memory):
    memory.graph.create_entity("Ann", "person", observations=["tea", "coffee"])
    tea, coffee = sorted(memory.exploration.hologram("ann").nodes[0].observations, key=_content)[
        ::-1
    ]
    with as_one_batch("swap"):
        memory.observations.update_observation(tea.id, "water")
        memory.observations.update_observation(coffee.id, "tea")
        memory.observations.update_observation(tea.id, "coffee")

    undone = memory.undo.undo("swap")

    assert [] == undone.left_alone
    now = {o.id: o.content for o in memory.exploration.hologram("ann").nodes[0].observations}
    assert {tea.id: "tea", coffee.id: "coffee"} == now


def _content(observation):
    return observation.content


def test_dry_run_reports_the_same_and_writes_nothing(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    gone = memory.graph.delete_entity("ann")

    preview = memory.undo.undo(gone.batch_id, dry_run=True)

    assert 0 == memory.graph.list_entities().total
    assert {"entities": 1, "observations": 1} == preview.reverted
    assert preview.reverted == memory.undo.undo(gone.batch_id).reverted


def test_a_single_change_is_undone_by_seq(memory):
    memory.graph.create_entity("Ann", "person", properties={"desk": 4})
    version = memory.graph.update_entity("ann", properties={"desk": 5}).version

    memory.undo.undo(seq=version)

    assert {"desk": 4} == memory.graph.get_entity("ann").entity.properties


def test_invalid_undo_requests_are_rejected(memory):
    memory.graph.create_entity("Ann", "person")
    gone = memory.graph.delete_entity("ann")

    with pytest.raises(ValidationError, match="either batch_id or seq"):
        memory.undo.undo()
    with pytest.raises(NotFoundError, match="no batch 'nonsense'"):
        memory.undo.undo("nonsense")
    with pytest.raises(NotFoundError):
        memory.undo.undo(gone.batch_id, project_id="other")


@pytest.fixture
def past(memory):
    """A past of three rows: an entity, its fact and its relation, each changed or gone since."""
    memory.graph.create_entity("Orders", "service", observations=["runs on port 80"])
    memory.graph.create_entity("Postgres", "technology")
    memory.relations.create_relation("orders", "postgres", "DEPENDS_ON", weight=0.5)
    return memory.atlas.version()


def test_deleted_entity_is_restored_with_its_facts(memory, past):
    memory.graph.update_entity("orders", name="Orders API")
    memory.graph.delete_entity("orders")

    put_back = memory.undo.put_back("entity", "orders", as_of_seq=past)
    name, facts = memory.graph.get_entity("orders").entity.name, facts_of(memory, "orders")
    memory.undo.undo(put_back.batch_id)

    assert ("Orders", {"runs on port 80"}) == (name, facts)
    assert {"entities": 1, "observations": 1, "relations": 1} == put_back.reverted
    with pytest.raises(NotFoundError):
        memory.graph.get_entity("orders")


def test_facts_and_relations_are_restored_individually(memory, past):
    (fact,) = memory.exploration.hologram("orders").nodes[0].observations
    (relation,) = memory.exploration.hologram("orders").relations
    memory.observations.update_observation(fact.id, "runs on port 443")
    memory.relations.delete_relation("orders", "postgres", "DEPENDS_ON")

    said = memory.undo.put_back("observation", fact.id, as_of_seq=past).reverted
    joined = memory.undo.put_back("relation", relation.id, as_of_seq=past).reverted
    again = memory.undo.put_back("relation", relation.id, as_of_seq=past)

    assert ({"observations": 1}, {"relations": 1}) == (said, joined)
    assert {"runs on port 80"} == facts_of(memory, "orders")
    assert [0.5] == [edge.weight for edge in memory.exploration.hologram("orders").relations]
    assert ({}, "") == (again.reverted, again.batch_id)


def test_obstacles_to_restoring_are_reported(memory, past):
    (relation,) = memory.exploration.hologram("orders").relations
    with acting_as("cursor"):
        memory.graph.update_entity("orders", name="Orders API")
    with pytest.raises(ConflictError, match="changed by cursor"):
        memory.undo.put_back("entity", "orders", as_of_seq=past, seen=past)
    memory.graph.delete_entity("orders")
    with pytest.raises(ConflictError, match="its start is not there"):
        memory.undo.put_back("relation", relation.id, as_of_seq=past)
    memory.graph.create_entity("Orders", "service")
    with pytest.raises(ConflictError, match="another row has its place"):
        memory.undo.put_back("entity", "orders", as_of_seq=past)


def test_rows_that_did_not_exist_cannot_be_restored(memory, past):
    memory.graph.create_entity("Late", "concept")
    with pytest.raises(NotFoundError, match="Undo the batch that created it"):
        memory.undo.put_back("entity", "late", as_of_seq=past)
    with pytest.raises(ValidationError, match="cannot be restored"):
        memory.undo.put_back("document", "x", as_of_seq=past)
