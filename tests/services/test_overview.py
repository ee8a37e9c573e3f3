from __future__ import annotations

from memory_core import acting_as


def test_overview_counts_rows_types_growth_and_recent_events(memory, clock):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.graph.create_entity("Acme", "organization")
    memory.relations.create_relation("ann", "acme", "WORKS_AT")
    memory.graph.create_entity("Zoe", "person", project_id="other")
    clock.advance(days=1)
    with acting_as("cursor"):
        memory.graph.delete_entity("acme")

    glance = memory.overview.project_counts()

    assert {"entities": 1, "observations": 1} == glance.rows
    assert ({"person": 1}, {}) == (glance.entity_types, glance.relation_types)
    assert ["2026-01-01", "2026-01-02"] == [day.day for day in glance.growth]
    assert {"entities": 1, "relations": 1} == glance.growth[1].deleted
    assert {("entity deleted", "cursor"), ("relation deleted", "cursor")} == {
        (event.event, event.actor) for event in glance.recent[:2]
    }
    assert [("default", 2), ("other", 1)] == [
        (project.project_id, project.total) for project in glance.projects
    ]
    assert {"entities": 2, "observations": 1} == memory.overview.project_counts(project_id="*").rows


def test_empty_memory_has_an_empty_overview(memory):
    glance = memory.overview.project_counts()

    assert ({}, {}, [], [], [], 0) == (
        glance.rows,
        glance.entity_types,
        glance.growth,
        glance.recent,
        glance.projects,
        glance.newest_seq,
    )
    assert [] == memory.overview.list_projects()


def test_only_projects_with_records_are_listed(memory):
    memory.graph.create_entity("Ann", "person", project_id="graph")
    memory.graph.create_entity("Bob", "person", project_id="graph")
    memory.bottles.create_bottle("Read me.", project_id="bottle")
    memory.knowledge.add_document("Notes", "What was said.", project_id="document")
    memory.graph.create_entity("Zoe", "person", project_id="gone")
    memory.graph.delete_entity("zoe", project_id="gone")

    assert ["bottle", "document", "graph"] == memory.overview.list_projects()


def test_types_are_counted_by_status(memory):
    for name in ("Ann", "Bob"):
        memory.graph.create_entity(name, "person")
    memory.graph.create_entity("Acme", "organization")
    memory.lifecycle.archive_entities("ann", "left")

    assert {"organization": 1, "person": 1} == memory.overview.list_types()
    assert [("person", 2), ("organization", 1)] == list(
        memory.overview.list_types(status="all").items()
    )
