"""Documents: added, replaced, listed and deleted as a whole."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.errors import ForbiddenError, NotFoundError, ValidationError, VersionConflictError
from memory_core.services.documents.knowledge import Knowledge
from memory_core.services.history.undo import Undo
from memory_core.storage.database import Database
from memory_core.storage.history import audit_log

PARTS = [f"Part {number}. " + f"word{number} " * 10 + "\n\n" for number in range(8)]

CHUNKS_THEN = """
select state ->> 'text' as text
from changes
where kind = 'chunks' and subject_id = :id and seq <= :seq
"""


@pytest.fixture
def db(tmp_path, clock):
    database = Database(tmp_path / "memory.db", clock)
    yield database
    database.close()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


@pytest.fixture
def knowledge(db, folder):
    count = itertools.count(1)
    ids = lambda: f"id{next(count):05}"  # noqa: E731
    return Knowledge(db, ids, roots=[folder], chunk_size=100, max_bytes=10_000)


def newest(db):
    with db.read() as connection:
        return audit_log.newest(connection)


def rows(db, table):
    with db.read() as connection:
        return int(connection.execute(f"select count(*) from {table}").get)


def chunk_ids(knowledge, title):
    return {chunk.text: chunk.id for chunk in knowledge.list_chunks(title).chunks}


def test_replacing_requires_the_current_digest(knowledge):
    read = knowledge.add_document("Guide", "first").document.digest
    newer = knowledge.add_document("Guide", "second", replacing=read).document.digest

    with pytest.raises(VersionConflictError, match="Nothing was saved"):
        knowledge.add_document("Guide", "third", replacing=read)
    assert "second" == knowledge.document_text("Guide")
    knowledge.delete_document("Guide")
    with pytest.raises(NotFoundError, match="deleted or renamed"):
        knowledge.add_upload("guide.txt", b"third", title="Guide", replacing=newer)


def test_documents_are_chunked_and_returned_complete(knowledge):
    text = "  # Title\n\n" + "".join(PARTS) + "\n "

    added = knowledge.add_document("Guide", text)

    assert "added" == added.status
    assert text == knowledge.document_text("Guide")
    sizes = [len(chunk.text) for chunk in knowledge.list_chunks("Guide").chunks]
    assert added.document.chunk_count == len(sizes) > 1
    assert all(0 < size <= 100 for size in sizes)


@pytest.mark.parametrize(
    ("title", "content", "named"),
    [
        ("", "text", "title"),
        (" \n", "text", "title"),
        ("Guide", "", "content"),
        ("Guide", " \n\t", "content"),
        ("Guide", "x" * 10_001, "content"),
    ],
)
def test_blank_or_overlong_input_is_rejected(knowledge, title, content, named):
    with pytest.raises(ValidationError, match=named):
        knowledge.add_document(title, content)


def test_the_same_text_again_changes_nothing(knowledge, db):
    first = knowledge.add_document("Café Guide", "Words.")
    before = newest(db)

    again = knowledge.add_document(" CAFE\u0301 guide ", "Words.")

    assert ("unchanged", first.document) == (again.status, again.document)
    assert before == newest(db)


def test_a_new_text_replaces_the_old_one_in_the_history(knowledge, db):
    first = knowledge.add_document("Guide", "The old words.")
    before = newest(db)

    added = knowledge.add_document("guide", "The new words.")

    assert ("replaced", first.document.id, "Guide") == (
        added.status,
        added.document.id,
        added.document.title,
    )
    assert "The new words." == knowledge.document_text("Guide")
    with db.read() as connection:
        row = {"id": first.document.id, "seq": before}
        then = connection.execute(CHUNKS_THEN, row).fetchall()
    assert ["The old words."] == [chunk["text"] for chunk in then]


def test_chunks_that_stay_the_same_keep_their_row(knowledge):
    knowledge.add_document("Guide", "".join(PARTS[:4]))
    before = chunk_ids(knowledge, "Guide")

    added = knowledge.add_document(
        "Guide", "".join([PARTS[6], PARTS[0], PARTS[2], PARTS[3], PARTS[5]])
    )

    after = chunk_ids(knowledge, "Guide")
    same = before.keys() & after.keys()
    assert {PARTS[0], PARTS[2], PARTS[3]} == same
    assert {before[text] for text in same} == {after[text] for text in same}
    assert 3 == added.chunks_kept


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(st.lists(st.lists(st.sampled_from(PARTS), min_size=1), min_size=1, max_size=3))
def test_any_text_can_replace_any_other(knowledge, versions):
    for parts in versions:
        knowledge.add_document("Guide", "".join(parts))

        assert "".join(parts) == knowledge.document_text("Guide")
        positions = [chunk.position for chunk in knowledge.list_chunks("Guide").chunks]
        assert list(range(len(positions))) == positions


@pytest.mark.parametrize("by", ["title", "id"])
def test_deleting_a_document_deletes_and_counts_its_chunks(knowledge, db, by):
    added = knowledge.add_document("Guide", "".join(PARTS))
    other = knowledge.add_document("Other", "Other words.")
    name = "GUIDE" if by == "title" else added.document.id

    deleted = knowledge.delete_document(name)

    assert (added.document.id, "Guide", len(PARTS)) == (deleted.id, deleted.title, deleted.chunks)
    assert other.document.chunk_count == rows(db, "chunks") == rows(db, "pieces")
    assert 1 == rows(db, "searchables where text is not null and active = 1")
    assert 1 == rows(db, "piece_terms")
    with pytest.raises(NotFoundError, match=r"GUIDE|id"):
        knowledge.get_document(name)


@pytest.mark.parametrize("act", ["replace", "delete"])
def test_document_operations_can_be_undone(knowledge, db, act):
    knowledge.add_document("Guide", "".join(PARTS))
    if act == "replace":
        knowledge.add_document("Guide", "".join([PARTS[5], *PARTS[:4], PARTS[7]]))
    else:
        knowledge.delete_document("Guide")
    with db.read() as connection:
        batch_id = audit_log.recent(connection, "default", limit=1)[0].batch_id

    undone = Undo(db).undo(batch_id)

    assert [] == undone.left_alone
    assert "".join(PARTS) == knowledge.document_text("Guide")
    assert len(PARTS) == knowledge.get_document("Guide").chunk_count


def test_missing_document_error_names_it(knowledge):
    for act in (
        knowledge.delete_document,
        knowledge.get_document,
        knowledge.document_text,
        knowledge.list_chunks,
    ):
        with pytest.raises(NotFoundError, match="'Nothing'"):
            act("Nothing")


def test_projects_do_not_see_each_other(knowledge):
    knowledge.add_document("Guide", "Ours.", project_id="a")
    knowledge.add_document("Guide", "Theirs.", project_id="b")

    knowledge.delete_document("Guide", project_id="a")

    assert "Theirs." == knowledge.document_text("Guide", project_id="b")
    assert 0 == knowledge.list_documents(project_id="a").total
    assert 1 == knowledge.list_documents(project_id="*").total


def test_documents_are_listed_page_by_page(knowledge):
    for title in ("delta", "Alpha", "charlie", "Bravo 100%"):
        knowledge.add_document(title, "Words.")

    first = knowledge.list_documents(limit=3)
    second = knowledge.list_documents(limit=3, cursor=first.cursor)

    listed = [document.title for document in (*first.documents, *second.documents)]
    assert ["Alpha", "Bravo 100%", "charlie", "delta"] == listed
    assert (4, "") == (first.total, second.cursor)
    assert ["Bravo 100%"] == [d.title for d in knowledge.list_documents(query="0%").documents]


def test_chunks_are_listed_page_by_page(knowledge):
    knowledge.add_document("Guide", "".join(PARTS))

    first = knowledge.list_chunks("Guide", limit=5)
    second = knowledge.list_chunks("Guide", limit=5, cursor=first.cursor)

    assert PARTS == [chunk.text for chunk in (*first.chunks, *second.chunks)]
    assert "" == second.cursor


def test_files_are_stored_under_their_name(knowledge, folder):
    (folder / "notes.md").write_text("# Notes\n\nwords")

    added = knowledge.add_file(str(folder / "notes.md"))

    document = added.document
    assert ("notes.md", str(folder / "notes.md"), "text/markdown") == (
        document.title,
        document.source,
        document.media_type,
    )
    assert "# Notes\n\nwords" == knowledge.document_text("notes.md")


def test_a_changed_file_replaces_its_old_text(knowledge, folder):
    file = folder / "notes.md"
    statuses = []
    for text in ("old", "old", "new"):
        file.write_text(text)
        statuses.append(knowledge.add_file(str(folder / "." / "notes.md")).status)

    assert ["added", "unchanged", "replaced"] == statuses
    assert ("new", 1) == (knowledge.document_text("notes.md"), knowledge.list_documents().total)


def test_files_with_equal_names_include_their_folder(knowledge, folder):
    places = [folder / "notes.md", folder / "a" / "notes.md", folder / "b" / "a" / "notes.md"]
    for place in places * 2:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"words of {place}")
        knowledge.add_file(str(place))

    titles = {document.title: document.source for document in knowledge.list_documents().documents}
    assert {
        "notes.md": str(places[0]),
        "notes.md (a)": str(places[1]),
        f"notes.md ({places[2]})": str(places[2]),
    } == titles


def test_a_file_does_not_replace_a_text_of_the_same_title(knowledge, folder):
    knowledge.add_document("notes.md", "By hand.")
    (folder / "notes.md").write_text("From a file.")

    added = knowledge.add_file(str(folder / "notes.md"))

    assert "notes.md (files)" == added.document.title
    assert "By hand." == knowledge.document_text("notes.md")


def test_guessed_encoding_is_reported(knowledge, folder):
    (folder / "old.txt").write_bytes(b"caf\xe9")

    assert "Latin-1" in knowledge.add_file(str(folder / "old.txt")).notice


def test_a_file_that_cannot_be_read_leaves_no_trace(knowledge, folder, db):
    (folder / "large.txt").write_text("x" * 10_001)
    before = newest(db)

    for path, error in [
        ("none.txt", NotFoundError),
        ("large.txt", ForbiddenError),
        ("../x", ForbiddenError),
    ]:
        with pytest.raises(error):
            knowledge.add_file(str(folder / path))

    assert before == newest(db)


def test_writes_report_pending_vectors(knowledge):
    assert "pending" == knowledge.add_document("Guide", "Words.").embedding


def test_uploads_are_read_by_format_and_named_without_folders(knowledge):
    page = b"<h1>Tides</h1><script>steal()</script><p>High water at noon.</p>"

    added = knowledge.add_upload("C:\\notes\\..\\tides.html", page)

    assert ("tides.html", "tides.html", "text/html") == (
        added.document.title,
        added.document.source,
        added.document.media_type,
    )
    assert "# Tides\n\nHigh water at noon." == knowledge.document_text("tides.html")


def test_an_upload_under_the_title_of_another_text_replaces_it(knowledge):
    knowledge.add_document("Guide", "old words")

    added = knowledge.add_upload("guide.md", b"new words", title="guide")

    assert ("replaced", "Guide", "guide.md") == (
        added.status,
        added.document.title,
        added.document.source,
    )


def test_unreadable_upload_raises_clear_error(knowledge):
    with pytest.raises(ForbiddenError, match="10,001 bytes"):
        knowledge.add_upload("big.txt", b"x" * 10_001)
    with pytest.raises(ValidationError, match="is not text"):
        knowledge.add_upload("photo.png", b"\x89PNG\0\0")
    with pytest.raises(ValidationError, match="no text in it"):
        knowledge.add_upload("empty.txt", b"  ")
    with pytest.raises(ValidationError, match="must not be blank"):
        knowledge.add_upload("", b"words")

    assert 0 == knowledge.list_documents().total


def test_chunks_can_be_rebuilt_after_the_chunk_size_has_changed(db, knowledge):
    text = "".join(PARTS)
    before = knowledge.add_document("Guide", text).document.chunk_count
    count = itertools.count(1)
    larger = Knowledge(db, lambda: f"new{next(count)}", roots=[], chunk_size=400, max_bytes=10_000)

    cut = larger.rebuild_chunks("Guide")
    again = larger.rebuild_chunks("Guide")

    assert ("replaced", "unchanged") == (cut.status, again.status)
    assert cut.document.chunk_count < before
    assert cut.document.chunk_count == len(larger.list_chunks("Guide").chunks)
    assert text == knowledge.document_text("Guide")


@pytest.mark.parametrize("ending", ["", "-wal"])
def test_open_database_cannot_be_added_as_a_document(db, tmp_path, ending):
    newest(db)
    own = Knowledge(
        db,
        map(str, itertools.count(1)).__next__,
        roots=(tmp_path,),
        chunk_size=900,
        max_bytes=10**9,
    )

    with pytest.raises(ForbiddenError, match="open memory database"):
        own.add_file(str(tmp_path / f"memory.db{ending}"))
