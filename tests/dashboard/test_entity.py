from __future__ import annotations

import json

import pytest

from dashboard.entity.entity_form import merge_aliases, merge_properties
from memory_core import acting_as

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted" </script>'


@pytest.fixture
def crew(its_memory):
    its_memory.graph.create_entity(
        "Ann",
        "person",
        id="ann",
        observations=["likes tea", "rows"],
        aliases=["Annie"],
        properties={"team": "core", "age": 40},
    )
    its_memory.graph.create_entity("Orders", "service", id="orders")
    its_memory.relations.create_relation("ann", "orders", "WORKS_ON")
    return its_memory


@pytest.fixture
def opened(visit):
    """Open the page of an entity of the default project."""
    return lambda id, **session: visit("entity", entity_asked=("default", id), **session)


def button(app, label):
    return next(b for b in app.button if b.label == label)


def field(app, label):
    return next(f for f in [*app.text_input, *app.text_area, *app.selectbox] if f.label == label)


def stored(memory, id="ann"):
    return memory.graph.get_entity(id).entity


def facts(memory):
    return {r.observation.content for r in memory.curation.list_observations(entity_id="ann").rows}


def test_without_an_entity_the_page_teaches_where_to_find_one(visit, its_memory):
    app = visit("entity")
    field(app, "Name").set_value("missing").run()

    assert not app.exception
    assert ["Find an entity to look at"] == [t.value for t in app.title]


def test_a_deep_link_opens_the_entity(visit, crew):
    app = visit("entity", entity_asked=("default", "ann"))

    assert not app.exception
    assert ["2 observations and 1 relation of one person"] == [t.value for t in app.title]
    assert "ann" == app.query_params["entity"]


@pytest.mark.parametrize("project", ["harbour", "*"])
def test_opening_an_entity_keeps_the_picked_project(visit, its_demonstration, project):
    # As after a switch of pages in a browser: the widget has lost its value.
    picked = {"project_picked": project}
    app = visit("entity", entity_asked=("harbour", "tide-gauge"), **picked)
    app.run()

    assert not app.exception
    assert project == app.selectbox(key="project").value


def test_every_entity_of_the_demonstration_opens(visit, its_demonstration):
    rows = its_demonstration.curation.list_entities(
        project_id="harbour", status="all", limit=200
    ).rows
    busiest = sorted(rows, key=lambda row: -row.observations - row.relations)[:2]
    archived = [row for row in rows if row.entity.status == "archived"][:1]

    for row in [*busiest, *archived]:
        app = visit("entity", entity_asked=("harbour", row.entity.id), facts_superseded=True)
        assert not app.exception, row.entity.id


def test_a_name_is_changed_and_taken_back(opened, crew):
    app = opened("ann")
    field(app, "Name").set_value("Anna")
    field(app, "Properties, as JSON").set_value(json.dumps({"team": "edge"}))
    button(app, "Save").click().run()
    after = stored(crew)
    actor = crew.timelines.list_events(order="DESC", limit=1).events[0].actor
    button(app, "Undo").click().run()

    assert not app.exception
    assert ("Anna", {"team": "edge"}, "dashboard") == (after.name, after.properties, actor)
    assert ("Ann", {"team": "core", "age": 40}) == (stored(crew).name, stored(crew).properties)


def test_a_change_by_somebody_else_is_named_and_nothing_is_lost(opened, crew):
    app = opened("ann")
    field(app, "Name").set_value("Anna")
    with acting_as("cursor"):
        crew.graph.update_entity("ann", properties={"team": "sails"}, certainty="inferred")
    button(app, "Save").click().run()
    refused = (stored(crew).name, [w.value[:30] for w in app.warning], len(app.error))
    button(app, "Keep mine").click().run()
    button(app, "Save").click().run()

    assert not app.exception
    assert ("Ann", ["This entity was changed while y"[:30]], 1) == refused
    after = stored(crew)
    assert ("Anna", "inferred", "sails") == (after.name, after.certainty, after.properties["team"])


def test_what_is_stored_can_be_taken_instead(opened, crew):
    app = opened("ann")
    field(app, "Name").set_value("Anna").run()
    with acting_as("cursor"):
        crew.graph.update_entity("ann", name="Anne")
    app.run()
    button(app, "Keep theirs").click().run()

    assert "Anne" == field(app, "Name").value
    assert not app.warning


def test_broken_json_is_refused(opened, crew):
    app = opened("ann")
    field(app, "Properties, as JSON").set_value("{team: core}")
    button(app, "Save").click().run()

    assert ["Nothing was saved: the properties are no JSON object (JSONDecodeError)."] == [
        e.value for e in app.error
    ]
    assert {"team": "core", "age": 40} == stored(crew).properties


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        ("Save correction", {"likes green tea", "rows"}),
        ("No longer true: replace", {"likes green tea", "rows"}),
        ("Delete", {"rows"}),
    ],
)
def test_a_fact_is_mended_in_place(opened, crew, act, expected):
    row = next(r for r in crew.curation.list_observations().rows if "tea" in r.observation.content)
    app = opened("ann", fact_open=(row.observation, crew.atlas.version()))
    field(app, "Wording").set_value("likes green tea")
    next(b for b in app.button if b.label == act and "fact_form" in b.form_id).click().run()

    assert not app.exception
    assert expected == facts(crew)
    total = crew.curation.list_observations(entity_id="ann", status="all").total
    assert {"Save correction": 2, "No longer true: replace": 3, "Delete": 1}[act] == total


def test_a_fact_that_changed_meanwhile_is_not_overwritten(opened, crew):
    row = next(r for r in crew.curation.list_observations().rows if "tea" in r.observation.content)
    app = opened("ann", fact_open=(row.observation, crew.atlas.version()))
    with acting_as("cursor"):
        crew.observations.update_observation(row.observation.id, "likes coffee")
    field(app, "Wording").set_value("likes green tea")
    button(app, "Save correction").click().run()

    assert {"likes coffee", "rows"} == facts(crew)
    assert "likes green tea" == field(app, "Wording").value
    assert ["This fact was changed while you were editing it. It now says:"] == [
        w.value for w in app.warning
    ]


def test_a_fact_is_added(opened, crew):
    app = opened("ann")
    field(app, "A new observation").set_value("sails on Sundays")
    button(app, "Add it").click().run()

    assert {"likes tea", "rows", "sails on Sundays"} == facts(crew)
    assert not field(app, "A new observation").value


def test_a_relation_is_added_and_deleted(opened, crew):
    crew.graph.create_entity("Payments", "service", id="payments")
    app = opened("ann")
    field(app, "Other entity").set_value("pay").run()
    field(app, "Relation").set_value("USES").run()
    button(app, "Relate them").click().run()
    added = crew.atlas.card("ann").relation_count
    for _ in range(2):
        next(b for b in app.button if str(b.key).startswith("edge_delete_")).click().run()

    assert not app.exception
    assert (2, 0) == (added, crew.atlas.card("ann").relation_count)


def test_a_change_of_the_past_is_taken_back_after_a_preview(opened, crew):
    crew.graph.update_entity("ann", name="Anna")
    app = opened("ann")
    next(b for b in app.button if str(b.key).startswith("past_undo_")).click().run()
    previewed = stored(crew).name
    button(app, "Confirm undo").click().run()

    assert not app.exception
    assert ("Anna", "Ann") == (previewed, stored(crew).name)


def test_a_deleted_entity_shows_its_past_and_comes_back(opened, crew):
    app = opened("ann")
    button(app, "Delete it").click().run()
    gone = [t.value for t in app.title]
    button(app, "Bring it back").click().run()

    assert ["This entity is not here any more"] == gone
    assert not app.exception
    assert {"likes tea", "rows"} == facts(crew)


def test_a_fact_that_nobody_saw_stops_the_deletion(opened, crew):
    app = opened("ann")
    crew.observations.add_observation("ann", "won the regatta")
    button(app, "Delete it").click().run()

    assert "won the regatta" in facts(crew)
    assert 1 == len(app.error)


def test_one_entity_goes_into_another(opened, crew):
    crew.graph.create_entity("Anna", "person", id="anna")
    app = opened("ann")
    field(app, "Merge it into").set_value("anna").run()
    button(app, "Merge them").click().run()

    assert not app.exception
    assert "anna" == app.query_params["entity"]
    assert ["Ann", "Annie"] == stored(crew, "anna").aliases


def test_no_markup_from_memory_is_read(opened, its_memory):
    with acting_as(TRAP):
        its_memory.graph.create_entity(
            TRAP, "person", id="trap", observations=[TRAP], aliases=["a" + TRAP]
        )
        its_memory.graph.update_entity("trap", properties={TRAP: TRAP}, certainty=TRAP)
    app = opened("trap")

    assert not app.exception
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info")
    read = [element.value for kind in kinds for element in app.get(kind)]
    labels = [
        w.label for kind in ("button", "text_input", "selectbox", "tab") for w in app.get(kind)
    ]
    assert [] == [text for text in read + labels if "alert(1)" in text]


def test_what_both_changed_is_put_together():
    shown, newest = {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5, "c": 3, "d": 4}

    assert {"a": 9, "b": 5, "d": 4} == merge_properties(shown, {"a": 9, "b": 2}, newest)
    assert ["y", "z", "w"] == merge_aliases(["x", "y"], ["y", "w"], ["x", "y", "z"])
