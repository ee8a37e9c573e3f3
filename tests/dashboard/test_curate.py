"""Tables of many rows: edited, previewed, saved as one act, taken out as CSV and in again."""

from __future__ import annotations

import io

import pytest
import streamlit as st

from dashboard.curate import edits as curating
from dashboard.curate import spreadsheet
from memory_core import acting_as
from memory_core.model.graph.bulk_edit import Edit

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted" </script>'


@pytest.fixture
def crew(its_memory):
    its_memory.graph.create_entity("Ann", "person", id="ann", observations=["likes tea"])
    its_memory.graph.create_entity("Bob", "person", id="bob", observations=["=1+1"])
    its_memory.graph.create_entity("Orders", "service", id="orders")
    return its_memory


@pytest.fixture
def typing(monkeypatch):
    """Type into cells of the table: a list of (name of the row, column, value)."""
    cells: list[tuple[str, str, object]] = []

    def editor(shown, **rest):
        edited = shown.copy()
        text = "Name" if "Name" in edited else "Observation"
        for name, column, value in cells:
            edited.loc[shown[text] == name, column] = value
        return edited

    monkeypatch.setattr(st, "data_editor", editor)
    return cells


def names(memory):
    return {row.entity.name for row in memory.curation.list_entities().rows}


def button(app, label):
    return next(b for b in app.button if b.label == label)


def test_an_empty_memory_teaches(visit, its_memory):
    app = visit("curate")

    assert not app.exception
    assert ["There is nothing to curate yet"] == [t.value for t in app.title]


@pytest.mark.parametrize("table", ["Entities", "Observations"])
def test_the_demonstration_is_paged(visit, its_demonstration, table):
    app = visit("curate", project="harbour", curate_kind=table)
    curation = its_demonstration.curation
    read = curation.list_entities if table == "Entities" else curation.list_observations
    total = read(project_id="harbour").total
    next(b for b in app.button if b.label == "Next").click().run()

    assert not app.exception
    assert any(c.value == f"showing 51\u2013{min(100, total)} of {total}" for c in app.caption)


def test_cells_are_saved_as_one_act_and_taken_back(visit, crew, typing):
    app = visit("curate")
    typing += [("Ann", "Name", "Anna"), ("Orders", "Type", "component")]
    app.run()
    untouched = names(crew)
    button(app, "Save 2 edits").click()
    app.run()
    typing.clear()
    after = names(crew)
    app.run()
    button(app, "Undo").click().run()

    assert not app.exception
    assert {"Ann", "Bob", "Orders"} == untouched == names(crew)
    assert {"Anna", "Bob", "Orders"} == after
    assert "service" == crew.graph.get_entity("orders").entity.node_type


def test_a_row_that_somebody_changed_is_named_and_the_rest_can_be_saved(visit, crew, typing):
    app = visit("curate")
    with acting_as("cursor"):
        crew.graph.update_entity("ann", name="Anne")
    typing += [("Ann", "Name", "Anna"), ("Bob", "Name", "Rob")]
    app.run()
    problems = [e.value for e in app.warning]
    button(app, "Save the other 1").click()
    app.run()

    assert not app.exception
    assert 1 == len(problems) and problems[0].startswith("1 row conflicts")
    assert {"Anne", "Rob", "Orders"} == names(crew)


@pytest.mark.parametrize(("choice", "kept"), [("Keep mine", "Anna"), ("Keep theirs", "Anne")])
def test_one_version_of_a_contested_row_is_chosen(visit, crew, typing, choice, kept):
    app = visit("curate")
    with acting_as("cursor"):
        crew.graph.update_entity("ann", name="Anne")
    typing += [("Ann", "Name", "Anna")]
    app.run()
    if choice == "Keep theirs":
        typing.clear()
    button(app, choice).click().run()
    saves = [b for b in app.button if b.label == "Save 1 edit"]
    for save in saves:
        save.click().run()

    assert not app.exception
    assert (choice == "Keep mine") == bool(saves)
    assert kept == crew.graph.get_entity("ann").entity.name


def test_what_was_typed_waits_under_other_filters(visit, crew, typing):
    app = visit("curate")
    typing += [("Ann", "Name", "Anna")]
    app.run()
    typing.clear()
    finding = next(t for t in app.text_input if t.label == "Find")
    finding.set_value("Bob").run()
    reported = [c.value for c in app.caption if "not saved" in c.value]
    finding.set_value("").run()
    button(app, "Save 1 edit").click().run()

    assert not app.exception
    assert 1 == len(reported) and reported[0].startswith(
        "1 row with edits not saved on other pages"
    )
    assert {"Anna", "Bob", "Orders"} == names(crew)


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        ("archive", {"Orders"}),
        ("delete", {"Orders"}),
        ("merge", {"Ann", "Orders"}),
        ("retype", {"Ann", "Bob", "Orders"}),
    ],
)
def test_picked_rows_are_changed_together(visit, crew, typing, act, expected):
    typing += [("Ann", "Pick", True), ("Bob", "Pick", True)]
    app = visit("curate", curate_act=act, curate_into="ann", curate_to="role")
    save = next(b for b in app.button if b.key == "save_table")
    save.click().run()
    typing.clear()

    assert not app.exception
    assert expected == names(crew)
    assert 1 == len(
        {
            e.batch_id
            for e in crew.timelines.list_events(order="DESC").events
            if e.actor == "dashboard"
        }
    )


def test_facts_are_reworded_in_their_table(visit, crew, typing):
    typing += [("likes tea", "Pick", True)]
    app = visit(
        "curate",
        curate_kind="Observations",
        curate_act="replace",
        curate_replace="tea",
        curate_by="rum",
    )
    button(app, "Save 1 edit").click().run()

    assert not app.exception
    assert {"likes rum", "=1+1"} == {
        row.observation.content for row in crew.curation.list_observations().rows
    }


def test_a_csv_is_taken_in_after_a_preview(visit, crew):
    seq = crew.atlas.version()
    file = (
        "id,project,name,type,certainty,status,version\r\n"
        f"ann,default,Anna,person,confirmed,active,{seq}\r\n"
        f"bob,default,Bob,person,confirmed,archived,{seq}\r\n"
        ",default,Cid,person,,,\r\n"
    )
    app = visit("curate")
    app.file_uploader[0].set_value(("t.csv", file.encode(), "text/csv")).run()
    before = names(crew)
    button(app, "Save 3 edits").click().run()

    assert not app.exception
    assert {"Ann", "Bob", "Orders"} == before
    assert {"Anna", "Orders", "Cid"} == names(crew)


def test_a_csv_that_is_wrong_is_refused(visit, crew):
    app = visit("curate")
    app.file_uploader[0].set_value(("t.csv", b"id,name\r\nann,\r\n", "text/csv")).run()

    assert not app.exception
    assert ["This file cannot be taken in as it is. Nothing was changed."] == [
        e.value for e in app.error
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1-x", "@x", "\tx", "'tis", "'=x", "plain", ""])
def test_no_cell_is_a_formula_and_none_is_lost(text):
    assert text == spreadsheet.unescape_formula(spreadsheet.escape_formula(text))
    assert not spreadsheet.escape_formula(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize("text", ["-5", "+3.2", "1,5", "12"])
def test_a_plain_number_is_not_escaped(text):
    assert text == spreadsheet.escape_formula(text)


@pytest.mark.parametrize("kind", ["entity", "observation"])
def test_a_file_that_nobody_edited_changes_nothing(crew, kind):
    crew.observations.add_observation("ann", 'said "so,\nand so"')
    curation = crew.curation
    page = curation.list_entities() if kind == "entity" else curation.list_observations()

    edits, wrong = spreadsheet.from_csv(spreadsheet.to_csv(page).encode("utf-8-sig"), kind, "")

    assert ([], []) == (wrong, curation.count_differing(edits))
    assert edits


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (b"\xff\xfe\x00", "no CSV in UTF-8"),
        (b"id,title\r\n", 'There is no column "name"'),
        (b"id,project,name\r\n,p,x\r\n", "Row 2: a new entity needs"),
        (b"id,project,name,version\r\na,p,x,1.5\r\n", "whole number"),
        (b"id,name\r\na,x\r\n", '"project" is empty'),
        (b"id,project,name,status\r\na,p,x,gone\r\n", "active or archived"),
        (b"name\r\n" + b"x\r\n" * 2001, "2,001 rows"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file, said):
    edits, wrong = spreadsheet.from_csv(file, "entity", "")

    assert [] == edits
    assert said in wrong[0]


def test_a_typed_cell_counts_more_than_a_bulk_act():
    place = {"kind": "entity", "act": "change", "id": "a", "project_id": "p"}
    cells, bulk = [Edit(name="Mine", **place)], [Edit(name="Bulk", node_type="role", **place)]

    (edit,) = curating.merge_edits(cells, bulk)

    assert ("Mine", "role") == (edit.name, edit.node_type)


@pytest.mark.parametrize("table", ["Entities", "Observations"])
def test_no_markup_from_memory_is_read(visit, its_memory, typing, table):
    its_memory.graph.create_entity(TRAP, "person", id="trap", observations=[TRAP])
    typing += [(TRAP, "Pick", True), (TRAP, "Certainty", TRAP)]
    app = visit("curate", curate_kind=table, curate_act="delete")

    assert not app.exception
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info")
    read = [element.value for kind in kinds for element in app.get(kind)]
    labels = [w.label for kind in ("button", "text_input", "selectbox") for w in app.get(kind)]
    assert [] == [text for text in read + labels if "alert(1)" in text]


def test_the_csv_of_a_page_has_its_columns(crew):
    page = crew.curation.list_entities()

    lines = spreadsheet.to_csv(page).splitlines()

    assert "id,project,name,type,certainty,status,version" == lines[0]
    assert f"orders,default,Orders,service,confirmed,active,{page.seq}" == lines[1]
    assert 4 == len(list(io.StringIO("\n".join(lines))))


def test_the_table_shows_an_undone_edit_at_once(visit, crew, typing):
    app = visit("curate")
    shown = []
    typing += [("Ann", "Name", "Anna"), ("Bob", "Name", "Bert")]
    app.run()
    button(app, "Save 2 edits").click()
    app.run()
    typing.clear()
    app.run()
    shown.append(_names_shown(app))
    button(app, "Undo").click().run()
    shown.append(_names_shown(app))

    assert not app.exception
    assert [{"Anna", "Bert", "Orders"}, {"Ann", "Bob", "Orders"}] == shown
    assert not [each for each in app.caption if "since this table was read" in each.value]


def _names_shown(app):
    (sheet,) = app.session_state["curate_sheets"].values()
    return {row.entity.name for row in sheet.rows.rows}
