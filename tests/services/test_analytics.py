from __future__ import annotations

import pytest

from memory_core import ValidationError


def people(memory, *names, **where):
    for name in names:
        memory.graph.create_entity(name, "person", **where)


def test_graph_metrics_include_entity_names(memory, clock):
    people(memory, "Ann", "Bob", "Cat", "Dan", "Eve")
    memory.graph.create_entity("Acme", "organization")
    for name in ("ann", "bob", "cat"):
        memory.relations.create_relation(name, "acme", "WORKS_AT", weight=2.0)
    memory.relations.create_relation("dan", "eve", "KNOWS", weight=-1.0)
    people(memory, "Gone")
    memory.lifecycle.archive_entities("gone")

    found = memory.analytics.analyze_graph()

    assert (6, 4, 0) == (found.entities, found.relations, found.isolated)
    assert {"person": 5, "organization": 1} == found.by_type
    assert {"WORKS_AT": 3, "KNOWS": 1} == found.by_relation
    assert ("acme", "Acme", 3.0) == (
        found.degree[0].id,
        found.degree[0].name,
        found.degree[0].score,
    )
    assert "acme" == found.pagerank[0].id == found.betweenness[0].id
    assert [4, 2] == [part.size for part in found.components]
    assert ["acme", "ann", "bob", "cat"] == [each.id for each in found.communities[0].members]
    assert [{"entities": 7, "relations": 4}] == [day.created for day in found.growth]
    assert found == memory.analytics.analyze_graph()


def test_an_empty_project_has_zeros(memory):
    people(memory, "Zoe", project_id="other")

    found = memory.analytics.analyze_graph()

    assert (0, 0, 0.0, 0, []) == (
        found.entities,
        found.relations,
        found.density,
        found.component_count,
        found.pagerank,
    )
    assert 1 == memory.analytics.analyze_graph(project_id="*").entities


def test_growth_counts_daily_additions_and_deletions(memory, clock):
    people(memory, "Old")
    clock.advance(days=40)
    people(memory, "Ann", "Bob")
    clock.advance(days=2)
    memory.graph.delete_entity("ann")

    growth = memory.analytics.analyze_graph(days=30).growth

    assert [("2026-02-10", {"entities": 2}, {}), ("2026-02-12", {}, {"entities": 1})] == [
        (day.day, day.created, day.deleted) for day in growth
    ]
    with pytest.raises(ValidationError, match="days"):
        memory.analytics.analyze_graph(days=0)
