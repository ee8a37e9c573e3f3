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


def test_recent_changes_continue_on_the_next_page(visit, its_memory):
    its_memory.graph.create_entity("Ann", "person")
    for number in range(20):
        its_memory.observations.add_observation("ann", f"walks {number} miles")
    app = visit("overview")
    first = [each.value for each in app.caption if each.value.startswith("showing")]

    app.button(key="recent_next").click().run()
    second = [each.value for each in app.caption if each.value.startswith("showing")]

    assert not app.exception
    assert ["showing 1\u201315 of 21"] == first
    assert ["showing 16\u201321 of 21"] == second
