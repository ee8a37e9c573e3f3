"""Two moments compared: the counts, the rows, the graph then, the timeline, and the way back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.components.change_view import (
    difference_parts,
    event_parts,
    row_parts,
    then_parts,
    timeline_parts,
)
from dashboard.components.time_range import FIRST, window
from dashboard.graph.legend import legend_parts
from dashboard.history.history_tables import then_table
from dashboard.history.restore_panel import can_be_restored
from memory_core import acting_as

NOW = datetime(2026, 3, 8, 12, 30, 40, tzinfo=UTC)
TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted" </script>'


@pytest.fixture
def then(its_memory, monkeypatch):
    """A memory with a past: ten days ago two services and a person, and since then changes."""
    at = [its_memory.db.clock() - timedelta(days=10)]
    monkeypatch.setattr(its_memory.db, "clock", lambda: at[0])
    its_memory.graph.create_entity("Order svc", "service", id="orders", observations=["slow"])
    its_memory.graph.create_entity("Legacy cache", "technology", id="cache", observations=["old"])
    its_memory.graph.create_entity("Elsewhere", "service", id="else", project_id="other")
    at[0] += timedelta(days=9, hours=12)
    with acting_as("cursor"):
        its_memory.graph.update_entity("orders", name="Orders API", properties={"tier": 1})
        its_memory.graph.delete_entity("cache")
        its_memory.graph.create_entity("Ann", "person", id="ann")
    at[0] += timedelta(hours=12)
    return its_memory


def button(app, label):
    return next(b for b in app.button if b.label == label)


def of_row(app, act, kind, place="changed", project="default"):
    """Return the button of a row that is named by its kind and, where there are several, its id."""
    start = f"{act}_{place}_{kind.replace('_', f'_{project}_', 1)}"
    return next(b for b in app.button if str(b.key).startswith(start))


def titles(app):
    return [title.value for title in app.title]


def test_an_empty_memory_has_no_past(visit, its_memory):
    app = visit("time_travel")

    assert not app.exception
    assert ["There is no past yet"] == titles(app)


def test_the_demonstration_shows(visit, its_demonstration):
    app = visit("time_travel", preset="Since the beginning", project="vt-firmware")

    assert not app.exception
    (title,) = titles(app)
    assert title.endswith(" added, 0 changed, 0 removed")
    events = its_demonstration.timelines.list_events(project_id="vt-firmware").total
    assert any(caption.value.endswith(f"of {events}") for caption in app.caption)


def test_what_differs_is_counted_by_project(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")

    assert not app.exception
    # Orders API and Ann; the cache went with its fact.
    assert ["1 added, 1 changed, 2 removed"] == titles(app)


def test_nothing_differs_in_a_quiet_stretch(visit, then):
    app = visit("time_travel", preset="Last hour", project="default")

    assert ["Nothing differs between the two moments"] == titles(app)
    assert not app.exception


def test_the_graph_then_says_what_became_of_each(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")

    table = app.dataframe[0].value
    assert {"Order svc": "changed since", "Legacy cache": "removed since"} == dict(
        zip(table["Name"], table["Changes since"], strict=True)
    )


def test_a_deleted_entity_is_restored(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")
    of_row(app, "restore", "entity_cache").click().run()
    back = then.curation.list_observations(entity_id="cache").total
    button(app, "Undo").click().run()

    assert not app.exception
    assert 1 == back
    assert 0 == then.curation.list_entities(query="legacy").total


def test_a_changed_entity_becomes_what_it_was(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")
    of_row(app, "restore", "entity_orders").click().run()

    assert not app.exception
    entity = then.graph.get_entity("orders").entity
    assert ("Order svc", {}) == (entity.name, entity.properties)
    event = then.timelines.list_events(order="DESC", limit=1).events[0]
    assert ("dashboard", "put_back") == (event.actor, event.cause)


def test_what_changed_after_it_was_shown_is_not_overwritten(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")
    with acting_as("claude"):
        then.graph.update_entity("orders", name="Orders service")
    of_row(app, "restore", "entity_orders").click().run()

    assert ["Restore failed. Nothing was changed."] == [e.value for e in app.error]
    assert "was changed by claude" in app.code[0].value
    assert "Orders service" == then.graph.get_entity("orders").entity.name


def test_one_change_is_taken_back_after_a_preview(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")
    of_row(app, "undo", "entity_ann").click().run()
    still = then.curation.list_entities(query="ann").total
    button(app, "Confirm undo").click().run()

    assert not app.exception
    assert (1, 0) == (still, then.curation.list_entities(query="ann").total)


def test_the_timeline_is_narrowed(visit, then):
    app = visit("time_travel", preset="Last 30 days", project="default")
    next(s for s in app.selectbox if s.label == "By").set_value("cursor").run()
    by_cursor = [c.value for c in app.caption if c.value.startswith("showing")][-1]
    next(t for t in app.text_input if t.label == "Entity").set_value("missing").run()

    assert not app.exception
    assert "showing 1\u20134 of 4" == by_cursor
    assert ["The timeline of that entity cannot be shown. Nothing was changed."] == [
        e.value for e in app.error
    ]


def test_two_moments_of_ones_own(visit, then):
    app = visit("time_travel", preset="Two moments", project="default")
    day = then.db.clock().date() - timedelta(days=5)
    next(d for d in app.date_input if d.label == "Then").set_value(day).run()
    next(d for d in app.date_input if d.label == "Now").set_value(day - timedelta(days=20)).run()

    assert not app.exception
    assert 1 == len(app.warning)
    assert ["4 added, 0 changed, 0 removed"] == titles(app)


def test_no_markup_from_memory_is_read(visit, its_memory):
    with acting_as(TRAP):
        its_memory.graph.create_entity(TRAP, "person", id="trap", observations=[TRAP])
    its_memory.graph.update_entity("trap", name=f"b {TRAP}")
    app = visit("time_travel", preset="Since the beginning")

    assert not app.exception
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info")
    read = [element.value for kind in kinds for element in app.get(kind)]
    labels = [w.label for kind in ("button", "text_input", "selectbox") for w in app.get(kind)]
    assert [] == [text for text in read + labels if "alert(1)" in text]


def test_only_the_properties_that_differ_are_shown():
    lines = difference_parts(
        {"properties": {"port": 80, "language": "Go"}, "name": "a"},
        {"properties": {"port": 443, "language": "Go", "tls": True}, "name": "b"},
    )

    assert ["name", "properties: port", "properties: tls"] == [
        line["inside"][0]["inside"][0] for line in lines
    ]
    assert ["80"] == lines[1]["inside"][1]["inside"]
    assert ["443"] == lines[1]["inside"][3]["inside"]


@pytest.mark.parametrize(
    ("preset", "start", "end"),
    [
        ("Last hour", datetime(2026, 3, 8, 11, 30, tzinfo=UTC), None),
        ("Today", datetime(2026, 3, 8, tzinfo=UTC), None),
        ("Yesterday", datetime(2026, 3, 7, tzinfo=UTC), datetime(2026, 3, 8, tzinfo=UTC)),
        ("Since the beginning", FIRST, None),
    ],
)
def test_presets_are_whole_minutes(preset, start, end):
    assert (start, end or datetime(2026, 3, 8, 12, 31, tzinfo=UTC)) == window(preset, NOW)


def test_a_fact_and_a_relation_are_restored_one_by_one(visit, then):
    then.graph.create_entity("Mail", "service", id="mail", project_id="post", observations=["new"])
    then.graph.create_entity("Queue", "service", id="queue", project_id="post")
    relation = then.relations.create_relation(
        "mail", "queue", "USES", project_id="post"
    ).relation.id
    (fact,) = then.atlas.card("mail", project_id="post").observations
    later = then.db.clock() + timedelta(hours=30)
    then.db.clock = lambda: later
    then.observations.delete_observation(fact.id, project_id="post")
    then.relations.delete_relation("mail", "queue", "USES", project_id="post")
    app = visit("time_travel", preset="Last 24 hours", project="post")
    of_row(app, "restore", f"observation_{fact.id}", project="post").click().run()
    of_row(app, "restore", f"relation_{relation}", project="post").click().run()
    back = then.atlas.card("mail", project_id="post")
    button(app, "Undo").click().run()

    assert not app.exception
    assert (["new"], 1) == ([o.content for o in back.observations], back.relation_count)
    assert 0 == then.atlas.card("mail", project_id="post").relation_count


def test_what_cannot_be_restored_is_said(visit, then):
    app = visit("time_travel", preset="Last 24 hours", project="default")
    of_row(app, "restore", "observation").click().run()

    assert not app.exception
    assert ["Restore failed. Nothing was changed."] == [e.value for e in app.error]
    assert "its entity is not there any more" in app.code[0].value


def test_the_drawing_of_then_tells_what_became_of_it_in_words(visit, then):
    row_id = then.graph.get_entity("orders").entity.row_id
    app = visit("time_travel", preset="Last 24 hours", project="default", then_picked=row_id)
    drawn = then.history.past_graph(then.db.clock() - timedelta(days=1), then.db.clock())
    words = str(legend_parts(drawn, "light", "change"))

    assert not app.exception
    assert any(c.value.startswith("showing 3 of 3") for c in app.caption)
    assert of_row(app, "restore", "entity_orders", place="then")
    for word in ("added", "changed", "removed"):
        assert word in words


def test_only_what_was_there_can_be_restored(then):
    now = then.db.clock()
    found = then.history.diff(now - timedelta(days=1), now)
    able = {change.id: can_be_restored(change) for change in found.changes}

    assert (True, True, False) == (able["orders"], able["cache"], able["ann"])
    assert ["Changes since", "Name"] == list(
        then_table(then.history.list_entities(now - timedelta(days=1)).nodes, found.changes).columns
    )[:2]


def test_a_relation_is_called_by_the_names_of_its_ends(then):
    then.graph.create_entity("Ann", "person", id="p-1", project_id="post")
    then.graph.create_entity("Mail queue", "service", id="s-9", project_id="post")
    then.relations.create_relation("p-1", "s-9", "WORKS_ON", project_id="post")
    now = then.db.clock()
    (changed,) = [
        each
        for each in then.history.diff(now - timedelta(1), now, project_id="post").changes
        if each.kind == "relation"
    ]
    (event,) = then.timelines.list_events(project_id="post", kind="relation").events
    ((of_entity, *_), _) = then.timelines.list_changes("p-1", project_id="post")
    (was,) = then.history.as_of(now, project_id="post", entity_id="p-1").entities
    lists = (
        row_parts(changed, now),
        timeline_parts(event, now),
        event_parts(of_entity, now),
        then_parts(was, "light"),
    )

    for parts in lists:
        assert "Ann \u2192 works on \u2192 Mail queue" in spoken(parts)
        assert "s-9" not in spoken(parts)


def spoken(part):
    """Return the words that stand in a part, one after the other."""
    if isinstance(part, str):
        return part
    inside = part if isinstance(part, list) else part["inside"]
    return " | ".join(map(spoken, inside))
