from __future__ import annotations

import pytest

from memory_core import ConflictError, NotFoundError, ValidationError
from memory_core.clock import format_timestamp
from memory_core.storage import traces


def active_texts(memory):
    with memory.db.read() as connection:
        return {
            row["text"]
            for row in connection.execute(
                "select text from searchables where active = 1 and text is not null"
            )
        }


def test_archived_entity_is_hidden_from_search_until_restored(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    before = active_texts(memory)

    archived = memory.lifecycle.archive_entities("ann", "moved away")
    aside = active_texts(memory)
    again = memory.lifecycle.archive_entities("ann")
    restored = memory.lifecycle.restore_entity("ann")

    assert ("archived", "moved away", True) == (
        archived.entity.status,
        archived.entity.archive_reason,
        archived.changed,
    )
    assert set() == aside
    assert not again.changed
    assert ("active", "", "archive") == (
        restored.entity.status,
        restored.entity.archive_reason,
        restored.restored_from,
    )
    assert before == active_texts(memory)


def test_deleted_entity_is_restored_with_its_facts(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea", "rides a bike"])
    memory.graph.create_entity("Acme", "organization")
    memory.graph.create_entity("Beta", "organization")
    memory.relations.create_relation("ann", "acme", "WORKS_AT")
    memory.relations.create_relation("ann", "beta", "WORKS_AT")
    memory.graph.delete_entity("ann")
    memory.graph.delete_entity("beta")

    restored = memory.lifecycle.restore_entity("Ann")

    assert {"entities": 1, "observations": 2, "relations": 1} == restored.restored
    assert ["WORKS_AT"] == [row.name for row in restored.not_restored]
    assert ["acme"] == [r.to_node_id for r in memory.exploration.hologram("ann").relations]


def test_only_the_restored_entity_returns_from_a_batch_of_deletions(memory, clock):
    for name in ("Ann", "Bob"):
        memory.graph.create_entity(name, "person", observations=[f"{name} likes tea"])
        memory.lifecycle.archive_entities(name)
    clock.advance(days=10)
    memory.lifecycle.prune_entities(5, dry_run=False)

    restored = memory.lifecycle.restore_entity("bob")

    assert {"entities": 1, "observations": 1} == restored.restored
    assert ["Bob"] == [e.name for e in memory.graph.list_entities(status="all").entities]


def test_active_or_unknown_entities_cannot_be_restored(memory):
    memory.graph.create_entity("Ann", "person")

    with pytest.raises(ConflictError, match="'ann' is active"):
        memory.lifecycle.restore_entity("ann")
    with pytest.raises(NotFoundError, match="None was archived or deleted"):
        memory.lifecycle.restore_entity("bob")


def test_orphans_are_listed_page_by_page_and_per_project(memory):
    for name in ("Ann", "Bob", "Cat", "Dan", "Eve"):
        memory.graph.create_entity(name, "person")
    memory.graph.create_entity("Zoe", "person", project_id="other")
    memory.relations.create_relation("ann", "bob", "KNOWS")

    first = memory.lifecycle.list_orphans(limit=2)
    second = memory.lifecycle.list_orphans(limit=2, cursor=first.cursor)

    assert (3, ["Cat", "Dan"]) == (first.total, [entity.name for entity in first.entities])
    assert (["Eve"], "") == ([entity.name for entity in second.entities], second.cursor)
    assert 4 == memory.lifecycle.list_orphans(project_id="*").total


def test_prune_uses_time_since_archiving_and_matches_its_preview(memory, clock):
    for name in ("Ann", "Bob", "Cat"):
        memory.graph.create_entity(name, "person", observations=[f"{name} likes tea"])
    memory.lifecycle.archive_entities("ann")
    clock.advance(days=100)
    memory.lifecycle.archive_entities("bob")
    clock.advance(days=1)

    dry = memory.lifecycle.prune_entities(30)
    still_there = memory.graph.list_entities(status="all").total
    real = memory.lifecycle.prune_entities(30, dry_run=False)

    assert 3 == still_there
    assert [("ann", "archived")] == [(stale.id, stale.reason) for stale in dry.entities]
    assert (dry.entities, dry.deleted) == (real.entities, real.deleted)
    assert {"entities": 1, "observations": 1, "relations": 0} == real.deleted
    memory.undo.undo(real.batch_id)
    assert 3 == memory.graph.list_entities(status="all").total


def test_unused_entities_are_pruned_only_on_request_and_if_not_salient(memory, clock):
    names = ("Forgotten", "Retrieved", "Fact retrieved", "Changed", "Observed", "Related")
    for name in names:
        memory.graph.create_entity(name, "person", observations=[f"about {name}"])
    use(memory, clock, memory.graph.get_entity("retrieved").entity.row_id, "entities")
    fact = memory.exploration.hologram("fact-retrieved").nodes[0].observations[0]
    use(memory, clock, fact.id, "observations")
    clock.advance(days=200)
    memory.graph.update_entity("changed", properties={"a": 1})
    memory.observations.add_observation("observed", "new fact")
    memory.graph.create_entity("New", "person")
    memory.relations.create_relation("related", "new", "KNOWS")
    clock.advance(days=1)

    asked = memory.lifecycle.prune_entities(30, include_unused=True)

    assert ["forgotten"] == [stale.id for stale in asked.entities]
    assert asked.entities[0].salience < 0.12
    assert [] == memory.lifecycle.prune_entities(30).entities
    with pytest.raises(ValidationError, match="max_age_days"):
        memory.lifecycle.prune_entities(-1)


def use(memory, clock, row_id, kind):
    with memory.db.note() as connection:
        traces.count_use(connection, [(kind, row_id)], format_timestamp(clock()))


def test_prune_makes_a_backup_and_its_preview_does_not(memory, clock):
    memory.graph.create_entity("Ann", "person")
    memory.lifecycle.archive_entities("ann")
    clock.advance(days=10)

    looked = memory.lifecycle.prune_entities(5)
    pruned = memory.lifecycle.prune_entities(5, dry_run=False)
    nothing_left = memory.lifecycle.prune_entities(5, dry_run=False)

    assert ("", "") == (looked.backup, nothing_left.backup)
    assert [pruned.backup] == [str(path) for path in memory.upkeep.list_backups()]
    assert pruned.backup.endswith("-before-prune.db")
