"""The page of texts that are kept whole."""

from __future__ import annotations

from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles

HARBOUR = "harbour"


def said(app):
    """What the page says was done last."""
    return app.session_state["act_done"].message


def open_first(visit, memory, **session):
    document = memory.knowledge.list_documents(project_id=HARBOUR).documents[0]
    opened = (document.project_id, document.id)
    return visit("documents", project=HARBOUR, document=opened, **session), document


def labelled(widgets, label):
    return next(widget for widget in widgets if widget.label == label)


def test_an_empty_memory_shows_how_to_begin(visit, its_memory):
    app = visit("documents")

    assert not app.exception
    assert ["No document is remembered yet"] == titles(app)
    assert any("A document is a text" in text.value for text in app.markdown)


def test_documents_are_listed_and_sought_by_title(visit, its_demonstration):
    app = visit("documents")
    listed = app.dataframe[0].value
    first = listed["Title"].iloc[0]
    labelled(app.text_input, "Part of a title").set_value(first[2:9]).run()

    assert not app.exception
    assert 4 == len(listed)
    assert first in list(app.dataframe[0].value["Title"])
    assert len(app.dataframe[0].value) < 4


def test_a_title_that_nothing_has_is_no_error(visit, its_demonstration):
    app = visit("documents")
    labelled(app.text_input, "Part of a title").set_value("no such title").run()

    assert not app.exception
    assert ["0 documents with that in the title"] == titles(app)
    assert [] == list(app.dataframe)


def test_a_text_is_added_and_can_be_taken_back(visit, its_demonstration):
    app = visit("documents", project=HARBOUR)
    labelled(app.text_input, "Title").set_value("Mooring")
    labelled(app.text_area, "Text").set_value("Two lines fore, two lines aft.")
    pressed(app, "Add the text")
    added = its_demonstration.knowledge.get_document("Mooring", project_id=HARBOUR)
    event = its_demonstration.timelines.list_events(
        project_id=HARBOUR, order="DESC", limit=1
    ).events[0]
    opened = app.session_state["document"]
    pressed(app, "Undo")

    assert not app.exception
    assert "dashboard" == event.actor
    assert (HARBOUR, added.id) == opened
    assert 4 == its_demonstration.knowledge.list_documents(project_id=HARBOUR).total


def test_files_are_added_and_what_cannot_be_read_is_named(visit, its_demonstration):
    app = visit("documents", project=HARBOUR)
    given = labelled(app.file_uploader, "Text, Markdown, HTML, PDF, DOCX, source code")
    given.set_value(
        [
            ("tides.html", b"<h1>Tides</h1><p>High water at noon.</p>", "text/html"),
            ("photo.png", b"\x89PNG\0\0", "image/png"),
        ]
    )
    pressed(app, "Add the files")

    assert not app.exception
    text = its_demonstration.knowledge.document_text("tides.html", project_id=HARBOUR)
    assert "# Tides\n\nHigh water at noon." == text
    assert any("1 file could not be read" in error.value for error in app.error)
    assert any("photo.png is not text" in code.value for code in app.code)


def test_a_failure_stays_until_it_is_dismissed_or_the_next_action(visit, its_demonstration):
    app = visit("documents", project=HARBOUR)
    given = labelled(app.file_uploader, "Text, Markdown, HTML, PDF, DOCX, source code")
    given.set_value([("photo.png", b"\x89PNG\0\0", "image/png")])
    pressed(app, "Add the files")
    shown = [[error.value for error in app.run().error] for _ in range(3)]
    pressed(app, "Add the text")
    replaced = [error.value for error in app.error]
    later = [error.value for error in app.run().error]
    pressed(app, "Dismiss")

    assert not app.exception
    assert [["1 file could not be read and left nothing behind."]] * 3 == shown
    assert replaced == later == ["The text was not added. Nothing was changed."]
    assert [] == [error.value for error in app.error]


def test_a_blank_text_is_refused_with_the_rule(visit, its_demonstration):
    app = visit("documents", project=HARBOUR)
    pressed(app, "Add the text")

    assert not app.exception
    assert any("Nothing was changed" in error.value for error in app.error)
    assert any("must not be blank" in code.value for code in app.code)


def test_a_text_replaced_meanwhile_is_not_overwritten(visit, its_demonstration):
    app, document = open_first(visit, its_demonstration)
    labelled(app.text_area, "Or its text, edited").set_value("Mine.")
    its_demonstration.knowledge.add_document(document.title, "Theirs.", project_id=HARBOUR)
    pressed(app, "Replace")
    stored = its_demonstration.knowledge.document_text(document.id, project_id=HARBOUR)
    typed = labelled(app.text_area, "Or its text, edited").value
    pressed(app, "Keep mine")
    pressed(app, "Replace")

    assert not app.exception
    assert ("Theirs.", "Mine.") == (stored, typed)
    assert "Mine." == its_demonstration.knowledge.document_text(document.id, project_id=HARBOUR)


def test_an_open_document_can_be_replaced(visit, its_demonstration):
    app, document = open_first(visit, its_demonstration)
    before = its_demonstration.knowledge.document_text(document.id, project_id=HARBOUR)
    labelled(app.text_area, "Or its text, edited").set_value(before + "\nOne line more.")
    pressed(app, "Replace")
    after = its_demonstration.knowledge.document_text(document.id, project_id=HARBOUR)
    pressed(app, "Undo")

    assert not app.exception
    assert after.endswith("One line more.")
    assert before == its_demonstration.knowledge.document_text(document.id, project_id=HARBOUR)


def test_an_open_document_can_be_deleted_and_brought_back(visit, its_demonstration):
    app, document = open_first(visit, its_demonstration)
    pressed(app, "Delete")
    gone = its_demonstration.knowledge.list_documents(project_id=HARBOUR).total
    pressed(app, "Undo")

    assert not app.exception
    assert 3 == gone
    back = its_demonstration.knowledge.list_chunks(document.id, project_id=HARBOUR)
    assert document.chunk_count == len(back.chunks)


def test_indexing_again_says_when_there_was_nothing_to_do(visit, its_demonstration):
    app, _ = open_first(visit, its_demonstration)
    pressed(app, "Index again")

    assert not app.exception
    assert said(app).endswith("is cut by the chunk size in use already.")


def test_a_document_that_is_gone_meanwhile_does_not_break_the_page(visit, its_demonstration):
    app, document = open_first(visit, its_demonstration)
    its_demonstration.knowledge.delete_document(document.id, project_id=HARBOUR)
    app.run()

    assert not app.exception
    assert any("is gone" in info.value for info in app.info)


def test_more_than_a_page_is_shown_page_by_page(visit, its_memory):
    for place in range(53):
        its_memory.knowledge.add_document(f"Note {place:02}", f"text {place}", project_id="many")
    app = visit("documents")
    first = [caption.value for caption in app.caption]
    pressed(app, "Next")

    assert not app.exception
    assert "showing 1\u201350 of 53" in first
    assert "showing 51\u201353 of 53" in [caption.value for caption in app.caption]
    assert ["Note 50", "Note 51", "Note 52"] == list(app.dataframe[0].value["Title"])


def test_no_markup_of_a_document_is_read(visit, its_memory):
    added = its_memory.knowledge.add_document(TRAP, TRAP, project_id="trap", source=TRAP)
    app = visit("documents", document=("trap", added.document.id))
    before = texts_read_as_markdown(app)
    pressed(app, "Delete")

    assert not app.exception
    assert "alert(1)" in said(app)
    assert [] == [t for t in before + texts_read_as_markdown(app) if "alert(1)" in t]
