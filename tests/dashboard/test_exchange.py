"""The memory out to a file, and in from one, on the page Maintenance."""

from __future__ import annotations

import io
import json
import stat
import sys
import zipfile
from pathlib import Path
from threading import Event

import pytest
from database_links import LINKS, link_to, other_process_takes_write_lock
from okf_bundle import BUNDLE
from support import PATIENCE

from dashboard.work import jobs
from memory_core import ForbiddenError
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown

# More than are read between two looks at whether to go on.
PEOPLE = 2_500
GRAPH = "\n".join(
    json.dumps(line)
    for line in (
        {"type": "entity", "name": TRAP, "entityType": "gizmo", "observations": ["says hello"]},
        {"type": "entity", "name": "Bob", "entityType": "person", "observations": []},
        {"type": "relation", "from": TRAP, "to": "Missing", "relationType": "knows"},
    )
)


def imported(app, name, content):
    return ended(pressed(previewed(app, name, content), "Import"), "import")


def previewed(app, name, content):
    content = content if isinstance(content, bytes) else content.encode()
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    return ended(pressed(app, "Preview import"), "import_preview")


def ended(app, work):
    """Wait for that work, and return the page that tells how it ended."""
    assert jobs.find_job(work).wait(PATIENCE)
    return app.run()


def errors(app):
    return [each.value for each in app.error]


def test_a_project_is_exported_with_its_proof(visit, its_demonstration):
    app = pressed(visit("maintenance", project="harbour"), "Export the selected project")
    done = app.session_state["exported"]
    lines = Path(done.path).read_text(encoding="utf-8").splitlines()

    assert not app.exception and not app.error
    assert ("harbour", "memory.jsonl") == (done.project_id, Path(done.path).name)
    assert 100 < sum(done.rows.values()) == len(lines) - 1


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and locks")
@pytest.mark.parametrize("kind", LINKS)
def test_a_download_replaced_by_a_link_to_the_memory_keeps_its_locks(
    visit, its_demonstration, kind
):
    app = pressed(visit("maintenance", project="harbour"), "Export the selected project")
    path = Path(app.session_state["exported"].path)
    link = link_to(its_demonstration.db.path, path.parent, kind, ".jsonl")
    link.replace(path)

    with its_demonstration.db.write("test"):
        with pytest.raises(ForbiddenError, match="open memory database"):
            its_demonstration.interchange.read_export(str(path))

        assert not other_process_takes_write_lock(its_demonstration.db.path)


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and locks")
def test_an_uploaded_bundle_with_a_link_to_the_memory_keeps_its_locks(visit, its_memory):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        entry = zipfile.ZipInfo("page.md")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, str(its_memory.db.path))
    app = visit("maintenance")

    with its_memory.db.write("test"):
        app = previewed(app, "bundle.zip", packed.getvalue())

        assert not other_process_takes_write_lock(its_memory.db.path)
    assert ["The file cannot be imported. Nothing was changed."] == errors(app)


def test_a_name_that_is_no_export_is_refused(visit, its_memory):
    app = visit("maintenance")
    next(t for t in app.text_input if t.label == "File name").set_value("memory.txt")
    app = pressed(app, "Export all projects")

    assert ["The export failed. No file was written."] == errors(app)
    assert not list(its_memory.interchange.folder.glob("*"))


@pytest.mark.slow
def test_an_import_is_cancelled_midway_and_taken_back(visit, its_memory, monkeypatch):
    midway, gate, tell = Event(), Event(), jobs.Job._tell

    def held(job, done, total, message):
        if done:
            midway.set()
            assert gate.wait(PATIENCE)
        tell(job, done, total, message)

    people = [
        json.dumps({"type": "entity", "name": f"Person {n}", "entityType": "person"})
        for n in range(PEOPLE)
    ]
    app = previewed(visit("maintenance"), "people.jsonl", "\n".join(people))
    monkeypatch.setattr(jobs.Job, "_tell", held)
    app = pressed(app, "Import")
    assert midway.wait(PATIENCE)
    app = pressed(app, "Cancel")
    gate.set()
    assert jobs.find_job("import").wait(PATIENCE)
    app = app.run()
    warned = [each.value for each in app.warning]
    there = its_memory.graph.list_entities().total
    app = pressed(app, "Undo import")

    assert not app.exception
    assert ["Cancelled. Rows imported before that are in the memory."] == warned
    assert 0 < there < PEOPLE
    assert 0 == its_memory.graph.list_entities().total


def test_a_file_is_imported_reported_and_taken_back(visit, its_memory):
    app = imported(visit("maintenance"), "graph.jsonl", GRAPH)
    report = jobs.find_job("import").result
    names = {row.entity.name for row in its_memory.curation.list_entities().rows}
    read = texts_read_as_markdown(app)
    app = pressed(app, "Undo import")

    assert not app.exception
    assert {TRAP, "Bob"} <= names
    assert report.batch_id and report.refused_count
    assert [] == [text for text in read if "alert(1)" in text]
    assert 0 == its_memory.curation.list_entities(status="all").total
    assert jobs.find_job("import") is None
    assert [] == list(its_memory.interchange.folder.glob("*"))


def test_a_file_of_no_known_kind_is_named(visit, its_memory):
    app = previewed(visit("maintenance"), "notes.txt", "just words")
    said, failed = [code.value for code in app.code], errors(app)
    app = pressed(app, "Choose another file")

    assert ["The file cannot be imported. Nothing was changed."] == failed
    assert any("notes.txt" in each for each in said)
    assert app.file_uploader and not errors(app)
    assert 0 == its_memory.atlas.version()


def test_what_a_file_would_bring_is_shown_before_anything_is_written(visit, its_memory):
    its_memory.graph.create_entity("Bob", "person")
    before = its_memory.atlas.version()
    app = previewed(visit("maintenance"), "graph.jsonl", GRAPH)
    would = jobs.find_job("import_preview").result.would
    after, read = its_memory.atlas.version(), texts_read_as_markdown(app)
    app = ended(pressed(app, "Import"), "import")
    done = jobs.find_job("import").result
    jobs.discard_job("import")

    assert not app.exception
    assert before == after < its_memory.atlas.version()
    assert "" == would.batch_id
    assert [] == [text for text in read if "alert(1)" in text]
    for counts in ("added", "already_there", "refused_count", "mapped"):
        assert getattr(would, counts) == getattr(done, counts)
    assert (1, 1) == (would.added["entities"], would.already_there["entities"])
    assert [] == list(its_memory.interchange.folder.glob("*"))


def zipped(files):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return whole.getvalue()


def test_a_bundle_comes_as_a_zip_and_is_taken_back(visit, its_memory):
    app = previewed(visit("maintenance"), "wiki.zip", zipped(BUNDLE))
    would = jobs.find_job("import_preview").result.would
    before = its_memory.graph.list_entities().total
    app = ended(pressed(app, "Import"), "import")
    there = its_memory.graph.list_entities().total
    app = pressed(app, "Undo import")

    assert not app.exception and not app.error
    assert ("okf", 5) == (would.format, would.added["entities"])
    assert [0, 5, 0] == [before, there, its_memory.graph.list_entities().total]
    assert [] == list(its_memory.interchange.folder.glob("*"))


def test_a_zip_that_would_write_elsewhere_is_refused(visit, its_memory):
    app = previewed(visit("maintenance"), "evil.zip", zipped({"../../evil.md": "---"}))

    assert ["The file cannot be imported. Nothing was changed."] == errors(app)
    assert any("leads out of its folder" in code.value for code in app.code)
    assert [] == list(its_memory.interchange.folder.glob("*"))
    assert 0 == its_memory.graph.list_entities().total
