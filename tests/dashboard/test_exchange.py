"""The memory out to a file, and in from one, on the page Maintenance."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

from support import PATIENCE

from dashboard import jobs
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown

# More than are read between two looks at whether to go on.
PEOPLE = 2_500
GRAPH = "\n".join(
    json.dumps(line)
    for line in (
        {"type": "entity", "name": TRAP, "entityType": "gizmo", "observations": ["says hello"]},
        {"type": "entity", "name": "Bob", "entityType": "person", "observations": []},
        {"type": "relation", "from": TRAP, "to": "Nobody", "relationType": "knows"},
    )
)


def imported(app, name, content):
    app.file_uploader[0].set_value((name, content.encode(), "application/json"))
    app = pressed(app, "Import")
    job = jobs.job("import")
    assert job is None or job.wait(PATIENCE)
    return app.run()


def errors(app):
    return [each.value for each in app.error]


def test_a_project_is_exported_with_its_proof(visit, its_demonstration):
    """
    The file holds the picked project alone, and is offered for download.
    """
    app = pressed(visit("maintenance", project="harbour"), "Export the project picked on the left")
    done = app.session_state["exported"]
    lines = Path(done.path).read_text(encoding="utf-8").splitlines()

    assert not app.exception and not app.error
    assert ("harbour", "memory.jsonl") == (done.project_id, Path(done.path).name)
    assert 100 < sum(done.rows.values()) == len(lines) - 1


def test_a_name_that_is_no_export_is_refused(visit, its_memory):
    """
    The page says why, and nothing is written.
    """
    app = visit("maintenance")
    next(t for t in app.text_input if t.label == "Name of the file").set_value("memory.txt")
    app = pressed(app, "Export all projects")

    assert ["No file was written."] == errors(app)
    assert not list(its_memory.interchange.folder.glob("*"))


def test_an_import_is_cancelled_midway_and_taken_back(visit, its_memory, monkeypatch):
    """
    What was read until then is there, the page says so, and one click takes it back.
    """
    midway, gate, tell = Event(), Event(), jobs.Job._tell

    def held(job, done, total, message):
        if done:
            midway.set()
            assert gate.wait(PATIENCE)
        tell(job, done, total, message)

    monkeypatch.setattr(jobs.Job, "_tell", held)
    people = [
        json.dumps({"type": "entity", "name": f"Person {n}", "entityType": "person"})
        for n in range(PEOPLE)
    ]
    app = visit("maintenance")
    app.file_uploader[0].set_value(("people.jsonl", "\n".join(people).encode(), "text/plain"))
    app = pressed(app, "Import")
    assert midway.wait(PATIENCE)
    app = pressed(app, "Cancel")
    gate.set()
    assert jobs.job("import").wait(PATIENCE)
    app = app.run()
    warned = [each.value for each in app.warning]
    there = its_memory.graph.list_entities().total
    app = pressed(app, "Take the import back")

    assert not app.exception
    assert ["Cancelled. What was read until then is in the memory."] == warned
    assert 0 < there < PEOPLE
    assert 0 == its_memory.graph.list_entities().total


def test_a_file_is_imported_reported_and_taken_back(visit, its_memory):
    """
    What was added, known and left alone is counted; one click takes all of it back.
    """
    app = imported(visit("maintenance"), "graph.jsonl", GRAPH)
    report = jobs.job("import").result
    names = {row.entity.name for row in its_memory.curation.entities().rows}
    read = texts_read_as_markdown(app)
    app = pressed(app, "Take the import back")

    assert not app.exception
    assert {TRAP, "Bob"} <= names
    assert report.batch_id and report.refused_count
    assert [] == [text for text in read if "alert(1)" in text]
    assert 0 == its_memory.curation.entities(status="all").total
    assert jobs.job("import") is None
    assert [] == list(its_memory.interchange.folder.glob("*"))


def test_a_file_of_no_known_kind_is_named(visit, its_memory):
    """
    The error names the file's kind problem, and nothing was changed.
    """
    app = imported(visit("maintenance"), "notes.txt", "just words")
    said = [code.value for code in app.code]
    jobs.put_away("import")

    assert ["The file was not imported as a whole."] == errors(app)
    assert any("notes.txt" in each for each in said)
    assert 0 == its_memory.atlas.version()
