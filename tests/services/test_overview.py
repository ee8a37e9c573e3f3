from __future__ import annotations

from memory_core import acting_as


def test_a_glance_counts_rows_types_growth_and_recent_events(memory, clock):
    """
    What the first page shows is all there, for one project or for all.
    """
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.graph.create_entity("Acme", "organization")
    memory.relations.create("ann", "acme", "WORKS_AT")
    memory.graph.create_entity("Zoe", "person", project_id="other")
    clock.advance(days=1)
    with acting_as("cursor"):
        memory.graph.delete_entity("acme")

    glance = memory.overview.glance()

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
    assert {"entities": 2, "observations": 1} == memory.overview.glance(project_id="*").rows


def test_an_empty_memory_has_an_empty_glance(memory):
    """
    A new memory has no project yet.
    """
    glance = memory.overview.glance()

    assert ({}, {}, [], [], [], 0) == (
        glance.rows,
        glance.entity_types,
        glance.growth,
        glance.recent,
        glance.projects,
        glance.newest_seq,
    )
    assert [] == memory.overview.projects()
