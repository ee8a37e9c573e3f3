from __future__ import annotations

from librarian.towns import BAKING, SAILING, group


def test_concepts_are_listed_with_their_members_the_largest_first(memory):
    sailing = group(memory, SAILING, 5)
    group(memory, BAKING, 4, project_id="bakery")
    memory.graph.create_entity("By hand", "concept")
    memory.librarian.run_cycle()
    memory.librarian.run_cycle(project_id="bakery")
    memory.lifecycle.archive_entities(sailing[0])

    here = memory.librarian.list_concepts()
    everywhere = memory.librarian.list_concepts(project_id="*", limit=1, offset=1)

    (concept,) = here.concepts
    assert ("Rope, anchor and mast", 4, 1) == (concept.name, concept.member_count, here.total)
    assert set(sailing[1:]) == {member.id for member in concept.members}
    assert 2 == everywhere.total
    assert 1 == len(everywhere.concepts)


def test_suggestions_of_all_projects_are_listed_together(memory):
    for project_id in ("here", "there"):
        group(memory, SAILING, 2, project_id=project_id)
        memory.librarian.run_cycle(project_id=project_id)

    page = memory.suggestions.list_suggestions(project_id="*")
    apart = [
        memory.suggestions.list_suggestions(project_id=each).total for each in ("here", "there")
    ]

    assert sum(apart) == page.total
    assert {"here", "there"} == {each.project_id for each in page.suggestions}
