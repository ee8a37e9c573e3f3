"""A page that shows one project shows nothing of another."""

from __future__ import annotations

import pytest

from memory_core import Scope
from tests.dashboard.conftest import PAGES

MARK = "zqmillmark"


def fill(memory):
    """Remember the same of two projects; what is of the mill has its mark."""
    for project_id, word in (("harbour", "crane"), ("mill", MARK)):
        scope = Scope(project_id=project_id)
        said = f"{word} holds the rope"
        memory.graph.create_entity(
            word, "technology", project_id=project_id, properties={"p": said}, observations=[said]
        )
        memory.graph.create_entity(f"{word} hall", "location", project_id=project_id)
        memory.relations.create_relation(
            word, f"{word}-hall", "RELATED_TO", project_id=project_id, properties={"p": said}
        )
        memory.knowledge.add_document(f"Paper on {word}", said, project_id=project_id)
        memory.entries.write_entry(
            said, [word, "a", "b", "c", "d"], category="knowledge", context_text=said, scope=scope
        )
        memory.conversation.add_facts([said], scope)
        memory.conversation.extract_facts(said, scope)
        memory.bottles.create_bottle(said, project_id=project_id)
        memory.sessions.start_session(f"s-{word}", said, project_id=project_id)
        memory.search.search_memory(f"rope {word}", project_id=project_id)
    memory.telemetry.flush()
    memory.catch_up()


def all_of(app) -> str:
    """Return everything sent to the browser, including tables and component data."""
    return "".join(
        repr(getattr(element, "proto", "")) for element in (*app.main, *app.sidebar)
    ) + repr([element.proto for element in _everything(app)])


def _everything(app):
    todo = [app.main, app.sidebar]
    while todo:
        block = todo.pop()
        for child in getattr(block, "children", {}).values():
            if hasattr(child, "children"):
                todo.append(child)
            elif getattr(child, "proto", None) is not None:
                yield child


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_nothing_of_another_project(visit, its_memory, page):
    fill(its_memory)

    app = visit(page, project="harbour")

    assert not app.exception
    assert MARK not in all_of(app)


def test_what_is_looked_for_would_be_seen(visit, its_memory):
    fill(its_memory)

    shown = [
        page
        for page in ("overview", "bottles", "documents", "curate")
        if MARK in all_of(visit(page, project="mill"))
    ]

    assert ["overview", "bottles", "documents", "curate"] == shown
