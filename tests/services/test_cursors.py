"""A cursor belongs to the list it came from."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_core import Scope, ValidationError

ANN, BOB = Scope(project_id="shop", user_id="ann"), Scope(project_id="shop", user_id="bob")
SOON, LATER = datetime(2030, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
HABITS = ("owns a boat", "is allergic to nuts", "works on Fridays")


@pytest.fixture
def two_projects(memory):
    """Fill every list of two projects and two users with more than a page of one holds."""
    for project in ("shop", "blog"):
        for n in range(3):
            memory.graph.create_entity(f"Thing {n}", "concept", project_id=project)
            memory.knowledge.add_document(f"Text {n}", f"text {n} of {project}", project_id=project)
    for scope in (ANN, BOB):
        for n in range(3):
            memory.conversation.add_facts([f"{scope.user_id} {HABITS[n]}"], scope)
            memory.conversation.extract_facts([{"role": "user", "content": f"I said {n}."}], scope)
    return memory


def entities(memory, cursor="", project="shop", node_type=""):
    return memory.graph.list_entities(
        project_id=project, node_type=node_type, limit=2, cursor=cursor
    )


def orphans(memory, cursor="", project="shop"):
    return memory.lifecycle.list_orphans(project_id=project, limit=2, cursor=cursor)


def documents(memory, cursor="", project="shop"):
    return memory.knowledge.list_documents(project_id=project, limit=2, cursor=cursor)


def facts(memory, cursor="", scope=ANN, status="active"):
    return memory.conversation.list_facts(scope, status=status, limit=2, cursor=cursor)


def jobs(memory, cursor="", scope=ANN):
    return memory.conversation.list_jobs(scope, limit=2, cursor=cursor)


def past(memory, cursor="", project="shop", moment=SOON):
    return memory.history.as_of(moment, project_id=project, limit=2, cursor=cursor)


def changes(memory, cursor="", project="shop", end=SOON):
    return memory.history.diff(LONG_AGO, end, project_id=project, limit=2, cursor=cursor)


@pytest.mark.parametrize(
    ("listing", "other"),
    [
        (entities, lambda memory, cursor: entities(memory, cursor, project="blog")),
        (entities, lambda memory, cursor: entities(memory, cursor, node_type="concept")),
        (entities, orphans),
        (orphans, lambda memory, cursor: orphans(memory, cursor, project="blog")),
        (documents, lambda memory, cursor: documents(memory, cursor, project="blog")),
        (facts, lambda memory, cursor: facts(memory, cursor, scope=BOB)),
        (facts, lambda memory, cursor: facts(memory, cursor, status="all")),
        (jobs, lambda memory, cursor: jobs(memory, cursor, scope=BOB)),
        (past, lambda memory, cursor: past(memory, cursor, project="blog")),
        (past, lambda memory, cursor: past(memory, cursor, moment=LONG_AGO)),
        (changes, lambda memory, cursor: changes(memory, cursor, project="blog")),
        (changes, lambda memory, cursor: changes(memory, cursor, end=LATER)),
    ],
)
def test_a_cursor_of_another_list_is_refused(two_projects, listing, other):
    cursor = listing(two_projects).cursor

    assert listing(two_projects, cursor) != listing(two_projects)
    with pytest.raises(ValidationError, match="unchanged arguments"):
        other(two_projects, cursor)
