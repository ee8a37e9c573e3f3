"""The page of groups of entries."""

from __future__ import annotations

from support import PATIENCE

from dashboard.components.colours import UNKNOWN
from dashboard.entries.group_charts import group_colours, group_map_figure
from dashboard.work import jobs
from memory_core.model.facts.groups import MapGroup, MapPoint
from memory_core.model.scope import Scope
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]
BUILD = ["build", "server", "ci", "monday", "restart"]


def fill(memory, count=5, **scope):
    """Write two kinds of entries that are similar, and one like none."""
    scope = Scope(**{"project_id": "team", **scope})

    def write(summary, tags):
        memory.entries.write_entry(summary, tags, category="other", scope=scope)

    for n in range(count):
        write(f"Ann drinks green tea {n}", TAGS)
        write(f"The build server restarts {n}", BUILD)
    write("Zebra", ["a1", "b2", "c3", "d4", "e5"])
    memory.catch_up()


def labelled(widgets, label):
    return next(widget for widget in widgets if widget.label == label)


def worked(app, label):
    """Press the button of that label, and return the page once what it began is over."""
    app = pressed(app, label)
    if "groups_job" in app.session_state:
        name, _ = app.session_state["groups_job"]
        assert jobs.find_job(name).wait(PATIENCE)
        app.run()
    return app


def test_an_empty_memory_says_what_groups_are(visit, its_memory):
    app = visit("groups")

    assert not app.exception
    assert ["There is no entry to be grouped yet"] == titles(app)
    assert any("memory_write" in text.value for text in app.markdown)


def test_the_demonstration_is_drawn(visit, its_demonstration):
    app = visit("groups")

    assert not app.exception
    assert ["12 entries, and no groups made of them yet"] == titles(app)
    assert 12 == len(app.dataframe[0].value)


def test_groups_are_made_and_shown_with_their_members(visit, its_memory):
    fill(its_memory)
    app = worked(visit("groups"), "Rebuild groups")

    assert not app.exception
    assert ["2 groups among 11 entries"] == titles(app)
    table = app.dataframe[1].value
    assert [5, 5] == list(table["Entries"])
    assert all(table["Cohesion"] > 0.5)
    assert "showing 1\u20135 of 5" in [caption.value for caption in app.caption]


def test_many_groups_are_paged(visit, its_memory, monkeypatch):
    monkeypatch.setattr("dashboard.components.cursors.SIZE", 1)
    fill(its_memory)
    app = worked(visit("groups"), "Rebuild groups")
    first = list(app.dataframe[1].value["Group"])
    app = pressed(app, "Next")

    assert not app.exception
    assert 1 == len(first) == len(app.dataframe[1].value)
    assert first != list(app.dataframe[1].value["Group"])


def test_settings_are_tried_before_they_are_stored(visit, its_memory):
    fill(its_memory)
    app = worked(visit("groups"), "Rebuild groups")
    labelled(app.slider, "Entries, all similar, that make a group").set_value(6)
    worked(app, "Try")
    tried, before = titles(app), its_memory.groups.list_groups(scope=Scope(project_id="team")).total
    worked(app, "Apply")
    after = its_memory.groups.list_groups(scope=Scope(project_id="team")).total

    assert not app.exception
    assert ["Tried, not stored: 0 groups among 11 entries"] == tried
    assert (2, 0) == (before, after)
    assert 6 == its_memory.entry_settings.whole("group_k")
    assert ["0 groups among 11 entries"] == titles(app)


def test_a_trial_can_be_forgotten(visit, its_memory):
    fill(its_memory)
    app = worked(visit("groups"), "Rebuild groups")
    worked(app, "Try")
    tried = titles(app)
    pressed(app, "Discard")

    assert ["Tried, not stored: 2 groups among 11 entries"] == tried
    assert ["2 groups among 11 entries"] == titles(app)


def test_work_that_failed_is_told(visit, its_memory):
    fill(its_memory)
    job = jobs.start_job("broken", lambda: its_memory.groups.preview_groups(2.0, 4))
    assert job.wait(PATIENCE)
    app = visit("groups", groups_job=("broken", Scope(project_id="team")))

    assert not app.exception
    assert any("as before" in error.value for error in app.error)
    assert any("group_threshold" in code.value for code in app.code)


def test_each_user_has_groups_of_their_own(visit, its_memory):
    fill(its_memory)
    fill(its_memory, count=4, user_id="ben")
    app = visit("groups")
    labelled(app.selectbox, "Whose").select_index(1).run()

    assert not app.exception
    assert ["9 entries, and no groups made of them yet"] == titles(app)


def test_the_hover_of_the_map_shows_markup_as_text(its_memory):
    scope = Scope(project_id="trap")
    its_memory.entries.write_entry(TRAP, TAGS, category="other", scope=scope)
    its_memory.catch_up()
    (hover,) = (
        group_map_figure(its_memory.groups.group_map(scope=scope), "light").data[0].customdata
    )

    assert "&lt;script&gt;" in hover
    assert "<script" not in hover


def test_each_entry_is_drawn_in_the_colour_of_its_largest_group(its_memory):
    points = [
        MapPoint(id=f"{n}", summary="", category="other", x=n, y=n, group_ids=ids)
        for n, ids in enumerate(([], ["big"], ["small", "big"], ["small"]))
    ]
    groups = [MapGroup(id=id, label=id, size=2, cohesion=1, overlaps={}) for id in ("big", "small")]
    drawn = its_memory.groups.group_map().model_copy(update={"points": points, "groups": groups})
    traces = group_map_figure(drawn, "light").data
    big, small = group_colours(drawn, "light").values()

    looks = {
        x: (trace.marker.symbol, trace.marker.colorscale[number][1])
        for trace in traces
        for x, number in zip(trace.x, trace.marker.color, strict=True)
    }

    assert [0, 1, 3, 2] == list(looks)
    assert ("circle-open", UNKNOWN["light"]) == looks[0]
    assert [("circle", big), ("diamond", small), ("circle", small)] == [looks[n] for n in (1, 2, 3)]


def test_no_markup_of_a_group_is_read(visit, its_memory):
    scope = Scope(project_id=TRAP[:60], user_id=TRAP[:60])
    tags = [f"{TRAP[:60]}{n}" for n in range(5)]
    for _ in range(4):
        its_memory.entries.write_entry(TRAP, tags, category="other", scope=scope)
    its_memory.catch_up()
    app = worked(visit("groups"), "Rebuild groups")

    assert not app.exception
    assert ["1 group among 4 entries"] == titles(app)
    assert [] == [text for text in texts_read_as_markdown(app) if "alert(1)" in text]
