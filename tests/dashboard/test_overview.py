"""The strip of checks on the Overview, and what it says of entities without a relation."""

from __future__ import annotations

from tests.dashboard.reading import TRAP, texts_read_as_markdown

LABEL = "1 entity without a relation"


def test_an_entity_without_a_relation_is_counted_and_listed(visit, its_memory):
    for name in ("Ann", "Bob", TRAP):
        its_memory.graph.create_entity(name, "person")
    its_memory.relations.create_relation("ann", "bob", "KNOWS")
    app = visit("overview")

    assert not app.exception
    assert LABEL in [each.label for each in app.expander]
    assert [] == [text for text in texts_read_as_markdown(app) if "alert(1)" in text]


def test_nothing_is_listed_where_everything_is_related(visit, its_memory):
    for name in ("Ann", "Bob"):
        its_memory.graph.create_entity(name, "person")
    its_memory.relations.create_relation("ann", "bob", "KNOWS")
    app = visit("overview")

    assert not app.exception
    assert not [each.label for each in app.expander if "relation" in each.label]
