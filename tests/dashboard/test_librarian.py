"""The page of the librarian: its runs, what it noticed, concepts, undoing, settings."""

from __future__ import annotations

import pytest
from librarian.towns import SAILING, group
from support import PATIENCE

from dashboard.work import jobs
from memory_core import context

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted"'


def title(app):
    return app.title[0].value


def button(app, label, number=0):
    assert not app.exception
    return [b for b in app.button if b.label == label][number]


def press(app, label, number=0):
    button(app, label, number).click().run()
    assert not app.exception


def finished(app, label):
    """Press a button that starts a run, wait for its end, and render the page again."""
    press(app, label)
    assert jobs.find_job("librarian").wait(PATIENCE)
    app.run()
    assert not app.exception
    return jobs.find_job("librarian")


def cycles_of(memory, project_id="*"):
    return memory.librarian.list_cycles(project_id=project_id, kind="librarian").cycles


def open_ones(memory, kind=""):
    return memory.suggestions.list_suggestions(project_id="towns", kind=kind).suggestions


@pytest.fixture
def towns(its_memory):
    """Two that are one thing under two spellings, and two that are merely similar."""
    fact = "serves all orders of the shop"
    for name, id in (("Shop Orders \u00c1pi", "first"), ("Shop Orders Api", "second")):
        its_memory.graph.create_entity(
            name, "service", project_id="towns", id=id, observations=[fact]
        )
    group(its_memory, SAILING, 2, project_id="towns")
    its_memory.librarian.run_cycle(project_id="towns")
    return its_memory


def test_an_empty_page_says_what_a_cycle_does(visit, its_memory):
    app = visit("librarian")

    assert not app.exception
    assert "Nothing that the librarian noticed waits for a decision" == title(app)
    assert any("It deletes nothing" in text.value for text in app.markdown)


def test_a_cycle_runs_over_every_project(visit, its_demonstration):
    app = visit("librarian")
    job = finished(app, "Run now")

    assert "done" == job.state
    ran = cycles_of(its_demonstration)
    assert {"harbour", "vt-firmware"} == {cycle.project_id for cycle in ran}
    assert {("dashboard", "done", False)} == {(c.actor, c.status, c.dry_run) for c in ran}
    assert any("Done in 2 projects." == text.value for text in app.markdown)


def test_a_dry_run_writes_nothing(visit, its_demonstration):
    before = its_demonstration.atlas.version()
    app = visit("librarian", project="harbour")
    finished(app, "Dry run")

    assert before == its_demonstration.atlas.version()
    assert any("nothing was written" in text.value for text in app.markdown)


def test_a_run_that_was_told_to_stop_says_so(visit, monkeypatch, its_memory):
    def never_ending(**_):
        while True:
            context.report_progress(1, 7, "grouping")

    its_memory.graph.create_entity("Ann", "person", project_id="towns")
    monkeypatch.setattr(its_memory.librarian, "run_cycle", never_ending)
    app = visit("librarian", project="towns")
    press(app, "Run now")
    press(app, "Cancel")
    assert jobs.find_job("librarian").wait(PATIENCE)
    app.run()

    assert "stopped" == jobs.find_job("librarian").state
    assert any("The cycle was stopped." in text.value for text in app.markdown)


def test_a_run_while_another_is_at_work_fails_and_says_why(visit, its_memory):
    its_memory.graph.create_entity("Ann", "person", project_id="towns")
    with its_memory.job_runs.start_run("upkeep", project_id="*"):
        app = visit("librarian", project="towns")
        finished(app, "Run now")

    assert app.error[0].value.startswith("The cycle failed.")
    assert any("already running" in code.value for code in app.code)


def test_duplicates_are_merged_and_that_is_undone(visit, towns):
    (found,) = open_ones(towns, "duplicate")
    app = visit("librarian", project="towns", review_kind="duplicate")
    press(app, "Merge into first")
    names = {e.name for e in towns.graph.list_entities(project_id="towns").entities}
    left = open_ones(towns, "duplicate")
    press(app, "Undo")

    assert found.second.name not in names
    assert [] == left
    after = {e.name for e in towns.graph.list_entities(project_id="towns").entities}
    assert {"Shop Orders \u00c1pi", "Shop Orders Api"} <= after
    assert [found.id] == [each.id for each in open_ones(towns, "duplicate")]


def test_duplicates_can_be_compared_before(visit, towns):
    before = towns.atlas.version()
    app = visit("librarian", project="towns", review_kind="duplicate")
    press(app, "Compare")

    assert "Close" in [b.label for b in app.button]
    assert before == towns.atlas.version()


def test_what_is_no_duplicate_stays_none(visit, towns):
    (found,) = open_ones(towns, "duplicate")
    app = visit("librarian", project="towns", review_kind="duplicate")
    press(app, "Not a duplicate")
    towns.graph.create_entity("Something new", "tool", project_id="towns")
    towns.librarian.run_cycle(project_id="towns")

    rejected = towns.suggestions.list_suggestions(project_id="towns", status="rejected").suggestions
    assert [found.id] == [each.id for each in rejected]
    assert [] == open_ones(towns, "duplicate")


def test_a_relation_is_accepted_with_another_type(visit, towns):
    first = open_ones(towns, "relation")[0]
    app = visit("librarian", project="towns", review_kind="relation")
    box = next(s for s in app.selectbox if s.key == f"type_{first.id}")
    box.set_value("DEPENDS_ON").run()
    app.button(key=f"accept_{first.id}").click().run()
    relations = {
        (r.from_node_id, r.relationship_type, r.to_node_id)
        for r in towns.exploration.hologram(first.first.id, project_id="towns").relations
    }
    press(app, "Undo")

    assert (first.first.id, "DEPENDS_ON", first.second.id) in relations
    assert first.id in [each.id for each in open_ones(towns, "relation")]


def test_a_suggestion_decided_meanwhile_is_not_decided_twice(visit, towns):
    first = open_ones(towns, "relation")[0]
    app = visit("librarian", project="towns", review_kind="relation")
    accept = app.button(key=f"accept_{first.id}")
    towns.suggestions.reject_suggestion(first.id, project_id="towns")
    accept.click().run()

    assert not app.exception
    still = towns.suggestions.list_suggestions(project_id="towns", status="rejected").suggestions
    assert [first.id] == [each.id for each in still]


def test_all_that_wait_are_dismissed_as_one_act(visit, towns):
    count = len(open_ones(towns))
    app = visit("librarian", project="towns")
    press(app, "Dismiss all")
    after = title(app)
    press(app, "Undo")

    assert count > 1
    assert "Nothing that the librarian noticed waits for a decision" == after
    assert count == len(open_ones(towns))


def test_all_that_wait_are_accepted_as_far_as_they_still_hold(visit, towns):
    app = visit("librarian", project="towns")
    press(app, "Accept all")

    accepted = towns.suggestions.list_suggestions(project_id="towns", status="accepted").total
    assert accepted > 0
    assert "Undo" in [b.label for b in app.button]


def test_a_cycle_is_undone_after_a_look_at_what_that_does(visit, towns):
    cycle = cycles_of(towns, "towns")[0]
    app = visit("librarian", project="towns", librarian_tab="Cycles")
    table = next(each.value for each in app.dataframe if "Cycle" in each.value)
    press(app, "What would an undo do?")
    press(app, "Undo this cycle")

    assert [cycle.id] == list(table["Cycle"])
    assert [] == open_ones(towns)
    assert "Redo" not in [b.label for b in app.button]


def test_concepts_are_listed(visit, its_memory):
    group(its_memory, SAILING, 4, project_id="towns")
    before = visit("librarian", project="towns", librarian_tab="Concepts")
    its_memory.librarian.run_cycle(project_id="towns")
    after = visit("librarian", project="towns", librarian_tab="Concepts")

    assert any("A concept is an entity" in text.value for text in before.markdown)
    assert "showing 1\u20131 of 1" in [each.value for each in after.caption]


def test_the_settings_are_chosen_and_kept(visit, its_memory):
    app = visit("librarian")
    next(t for t in app.toggle if "background" in t.label).set_value(True)
    app.number_input[0].set_value(600)
    press(app, "Save")

    status = its_memory.discovery.background_status()
    assert (True, 600) == (status.enabled, status.interval_seconds)
    assert ("chosen", "setting") == (
        status.origins["interval_seconds"],
        status.origins["similarity_threshold"],
    )


def test_what_was_chosen_is_taken_back(visit, its_memory):
    its_memory.discovery.set_background(enabled=True, interval_seconds=600)
    app = visit("librarian")
    press(app, "Reset to environment")

    status = its_memory.discovery.background_status()
    assert (False, 300) == (status.enabled, status.interval_seconds)
    assert {"setting"} == set(status.origins.values())
    assert not [b for b in app.button if b.label == "Reset to environment"]


def test_what_is_typed_into_the_settings_outlives_what_others_choose(visit, its_memory):
    app = visit("librarian")
    app.number_input[0].set_value(600)
    its_memory.discovery.set_background(enabled=True, similarity_threshold=0.9)
    press(app, "Save")

    status = its_memory.discovery.background_status()
    assert (True, 600, 0.9) == (
        status.enabled,
        status.interval_seconds,
        status.similarity_threshold,
    )


@pytest.mark.parametrize("tab", ["Review", "Concepts", "Cycles"])
def test_no_markup_of_what_was_noticed_is_ever_read(visit, its_memory, tab):
    for number in range(4):
        its_memory.graph.create_entity(
            f"{TRAP} {number}", "tool", project_id="towns", observations=[f"{TRAP} {TRAP}"]
        )
    its_memory.librarian.run_cycle(project_id="towns")
    app = visit("librarian", project="towns", librarian_tab=tab)

    assert not app.exception
    assert its_memory.suggestions.list_suggestions(project_id="towns").total
    kinds = ("title", "subheader", "markdown", "caption", "error", "warning", "info")
    read = [element.value for kind in kinds for element in app.get(kind)]
    labels = [each.label for kind in ("button", "selectbox") for each in app.get(kind)]
    assert [] == [text for text in read + labels if "alert(1)" in text]
