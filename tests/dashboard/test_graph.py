"""The graph page: filters, colours, paths, the card of a node, and the same as tables."""

from __future__ import annotations

import pytest

from dashboard import state
from dashboard.components.colours import FAMILIES, community_colour
from dashboard.graph.legend import community_names, legend_parts
from dashboard.layout import SPACING, positions_of
from memory_core import acting_as
from memory_core.model.graph.graph_view import MapFilter
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles


@pytest.fixture
def crew(its_memory):
    """Two teams of three that one relation joins, and a service that was archived between."""
    for name in ("ann", "bob", "cat", "dan", "eve", "fay"):
        its_memory.graph.create_entity(name.title(), "person", id=name)
    for one, other in (("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "eve")):
        its_memory.relations.create_relation(one, other, "REPORTS_TO")
    for one, other in (("eve", "fay"), ("fay", "dan"), ("cat", "dan")):
        its_memory.relations.create_relation(one, other, "REPORTS_TO")
    its_memory.graph.create_entity("Gateway", "service", id="gate")
    its_memory.graph.create_entity("Island", "place", id="isle")
    its_memory.relations.create_relation("fay", "gate", "OWNS")
    its_memory.relations.create_relation("gate", "isle", "LOCATED_IN")
    its_memory.lifecycle.archive_entities("gate")
    return its_memory


def table(app, column):
    """Return the table of the page that has this column, as it would be read out."""
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def captions(app):
    return [caption.value for caption in app.caption]


def test_a_path_is_told_step_by_step_with_directions(visit, crew):
    app = visit("graph", project="default", way_from="ann", way_to="fay")
    steps = table(app, "Direction")

    assert not app.exception
    assert ["Ann", "Cat", "Dan"] == list(steps["From"])
    assert ["Cat", "Dan", "Fay"] == list(steps["To"])
    assert {"reports to"} == set(steps["Relation"])
    assert ["\u2190 backward", "\u2192 forward", "\u2190 backward"] == list(steps["Direction"])


def test_where_there_is_no_path_the_page_says_how_far_it_looked(visit, crew):
    app = visit("graph", project="default", way_from="ann", way_to="Island")
    none = [frame for frame in app.dataframe if "Direction" in frame.value.columns]
    way = crew.atlas.path(("default", "ann"), ("default", "isle"))
    app.checkbox(key="way_archived").check().run()

    assert not app.exception
    assert ([], True) == (none, way.exhausted)
    assert ["Ann", "Cat", "Dan", "Fay", "Gateway"] == list(table(app, "Direction")["From"])
    # The archived node is drawn as part of the path, in addition to the filtered nodes.
    assert "showing 7 of 7 \u00b7 most salient first \u00b7 and 1 of the path" in captions(app)


def test_an_end_that_nobody_is_called_is_said(visit, crew):
    app = visit("graph", project="default", way_from="missing", way_to="a")

    assert not app.exception
    assert "No entity has this name or id." in captions(app)
    assert {"Ann", "Cat", "Dan"} <= {
        option.split(" \u00b7 ")[0] for option in app.selectbox(key="way_to_of").options
    }


def test_dates_narrow_the_graph_and_are_said(visit, crew):
    day = crew.db.clock().date()
    app = visit("graph", project="default")
    app.date_input(key="map_until").set_value(day.replace(year=day.year - 1)).run()
    before = captions(app)
    app.date_input(key="map_until").set_value(day).run()

    assert not app.exception
    assert any(said.startswith("showing 0 of 0") for said in before)
    assert any("Created to" in said for said in captions(app))
    assert ["7 entities, 7 relations between them"] == titles(app)


def test_filters_stay_where_nothing_matches_them_and_a_path_does_not(visit, crew):
    crew.graph.create_entity("Else", "concept", id="else", project_id="other")
    app = visit("graph", project="default", way_from="ann", way_to="fay")
    app.multiselect(key="map_types").set_value(["person"]).run()
    next(box for box in app.selectbox if box.label == "Project").set_value("other").run()

    assert not app.exception
    assert ["person"] == app.multiselect(key="map_types").value
    assert ["0 entities, 0 relations between them"] == titles(app)
    assert ["", ""] == [app.text_input(key=end).value for end in ("way_from", "way_to")]


def test_communities_are_named_in_legend_and_table(visit, crew):
    app = visit("graph", project="default", map_colour="Community")
    words = list(table(app, "Community")["Community"])
    drawn = crew.atlas.most_salient(communities=True)
    legend = str(legend_parts(drawn, "dark", "community"))

    assert not app.exception
    names = community_names(drawn.nodes)
    assert {0, 1} == set(names)
    assert {*names.values(), "none"} == set(words)
    assert all(name in legend for name in names.values())
    assert "in none" in legend


def test_small_communities_share_the_grey(crew):
    colours = [community_colour(number, "light") for number in range(len(FAMILIES))]

    assert len(FAMILIES) == len(set(colours))
    assert community_colour(-1, "light") == community_colour(len(FAMILIES), "light")


def test_nodes_stay_where_they_are_through_every_filter(crew):
    whole = positions_of(crew.atlas.most_salient(), {})
    everything = positions_of(crew.atlas.most_salient(wanted=MapFilter(status="all")), whole)
    people = crew.atlas.most_salient(wanted=MapFilter(node_types=("person",)))

    assert whole == {row_id: everything[row_id] for row_id in whole}
    assert len(whole) + 1 == len(set(everything.values()))
    assert all(whole[n.row_id] == everything[n.row_id] for n in people.nodes)


def test_what_is_new_settles_near_what_it_is_related_to(crew):
    whole = positions_of(crew.atlas.most_salient(), {})
    new = crew.graph.create_entity("Gus", "person").entity.row_id
    alone = crew.graph.create_entity("Alone", "person").entity.row_id
    crew.relations.create_relation("gus", "ann", "REPORTS_TO")
    places = positions_of(crew.atlas.most_salient(), whole)
    ann = places[crew.graph.get_entity("ann").entity.row_id]

    apart = [abs(a - b) for a, b in zip(places[new], ann, strict=True)]
    assert max(apart) < 2 * SPACING
    assert places[alone][1] > max(y for _, y in whole.values())


def test_what_hangs_together_with_nothing_makes_no_long_row(crew):
    for number in range(80):
        crew.graph.create_entity(f"Alone {number}", "concept", id=f"alone-{number}")
    alone = positions_of(crew.atlas.most_salient(wanted=MapFilter(node_types=("concept",))), {})
    people = positions_of(crew.atlas.most_salient(wanted=MapFilter(node_types=("person",))), {})
    below = positions_of(crew.atlas.most_salient(), people)

    for places in (alone, below):
        width, height = (max(axis) - min(axis) for axis in zip(*places.values(), strict=True))
        assert 0.5 < width / height < 2
    assert len(below) == len(set(below.values()))


def test_the_page_remembers_places_and_draws_from_memory(visit, crew):
    app = visit("graph", project="default")
    place = repr(("default", None))
    before = state.remembered_positions(place)
    app.multiselect(key="map_types").set_value(["person"]).run()

    assert not app.exception
    assert ["6 entities, 7 relations between them"] == titles(app)
    assert before == state.remembered_positions(place)


def test_a_node_is_archived_and_brought_back_from_its_card(visit, crew):
    app = visit("graph", project="default", graph_asked=("default", "ann"))
    pressed(app, "Archive")
    archived = crew.graph.get_entity("ann").entity.status
    pressed(app, "Undo")

    assert not app.exception
    assert ("archived", "active") == (archived, crew.graph.get_entity("ann").entity.status)
    event = crew.timelines.list_events(order="DESC", limit=1).events[0]
    assert "dashboard" == event.actor


def test_a_node_that_changed_meanwhile_is_not_archived_blindly(visit, crew):
    app = visit("graph", project="default", graph_asked=("default", "ann"))
    with acting_as("cursor"):
        crew.graph.update_entity("ann", name="Anna")
    pressed(app, "Archive")

    assert not app.exception
    assert "active" == crew.graph.get_entity("ann").entity.status
    assert app.error


def test_a_node_is_edited_on_its_card(visit, crew):
    app = visit("graph", project="default", graph_asked=("default", "ann"))
    next(field for field in app.text_input if field.label == "Name").set_value("Anna")
    pressed(app, "Save")

    assert not app.exception
    assert "Anna" == crew.graph.get_entity("ann").entity.name


def test_paths_over_hostile_names_are_read_as_text(visit, its_memory):
    its_memory.graph.create_entity(TRAP, "person", id="trap")
    its_memory.graph.create_entity(f"b {TRAP}", "person", id="other")
    its_memory.relations.create_relation("trap", "other", "KNOWS")
    app = visit(
        "graph",
        graph_asked=("default", "trap"),
        map_colour="Community",
        way_from="default::trap",
        way_to="default::other",
    )

    assert not app.exception
    assert 1 == len(table(app, "Direction"))
    assert [] == [text for text in texts_read_as_markdown(app) if "alert(1)" in text]


def test_one_end_of_a_path_says_how_to_give_the_other(visit, its_demonstration):
    app = pressed(
        visit(
            "graph",
            project="harbour",
            graph_project="harbour",
            graph_picked=("harbour", "booking-api"),
        ),
        "Path from it",
    )
    asked = [caption.value for caption in app.caption]
    app = pressed(app, "Path to it")

    assert not app.exception
    assert "Now click the other node, then Path to it." in asked
    assert any("are listed below" in caption.value for caption in app.caption)
