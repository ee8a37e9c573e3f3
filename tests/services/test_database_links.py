"""Reading a link to the open database must not release SQLite's locks."""

from __future__ import annotations

import io
import itertools
import os
import shutil
import stat
import sys
import zipfile

import pytest
from database_links import ENDINGS, LINKS, link_to, other_process_takes_write_lock
from support import HashingEmbedder

from memory_core import ForbiddenError, MemoryCoreError, Settings, open_memory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and locks")

PAGE = "---\ntype: note\n---\nAnn owns a boat.\n"
OPEN = "open memory database"

# By name: the suffix of the link, and the call that reads it or the folder it is in.
READS = {
    "import": (".db", lambda memory, link: memory.interchange.import_file(str(link))),
    "preview": (".db", lambda memory, link: memory.interchange.preview_import(str(link))),
    "import folder": (
        ".md",
        lambda memory, link: memory.interchange.import_file(str(link.parent)),
    ),
    "import as bundle": (
        ".zip",
        lambda memory, link: memory.interchange.import_file(str(link), format="okf"),
    ),
    "validate": (".md", lambda memory, link: memory.bundles.validate_bundle(str(link.parent))),
    "bundle graph": (".md", lambda memory, link: memory.bundles.bundle_graph(str(link.parent))),
    "file knowledge": (".txt", lambda memory, link: memory.knowledge.add_file(str(link))),
    "restore": (
        ".db",
        lambda memory, link: memory.upkeep.restore_backup(str(link), confirm=link.name),
    ),
    "export over it": (".jsonl", lambda memory, link: memory.interchange.export_project(str(link))),
    "download": (".jsonl", lambda memory, link: memory.interchange.read_export(str(link))),
}
# Calls that return the readable pages only, or how many are not.
FOLDERS = ("import folder", "bundle graph")


@pytest.fixture
def memory(tmp_path):
    settings = Settings(sqlite_db_file=tmp_path / "memory.db", knowledge_roots=(tmp_path,))
    opened = open_memory(settings, embedder=HashingEmbedder())
    opened.graph.create_entity("Ann", "person")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path):
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    return bundle


def database_file(memory, ending):
    return memory.db.path.with_name(memory.db.path.name + ending)


def text_of(call):
    """Return what the call returned or raised, as text."""
    try:
        result = call()
    except MemoryCoreError as error:
        return f"{error}"
    return result.model_dump_json()


@pytest.mark.process
@pytest.mark.parametrize("read", READS)
def test_reading_a_link_to_the_database_keeps_its_locks(memory, folder, read):
    suffix, call = READS[read]
    links = [
        link_to(database_file(memory, ending), folder, kind, f"{ending}{suffix}")
        for kind, ending in itertools.product(LINKS, ENDINGS)
    ]

    with memory.db.act("test"):
        for link in links:
            said = text_of(lambda link=link: call(memory, link))
            # Without any page a folder has no document, and each link is an error.
            assert OPEN in said or (read in FOLDERS and link.name not in said)

        assert not other_process_takes_write_lock(memory.db.path)


def test_the_page_next_to_a_refused_link_is_still_imported(memory, folder):
    (folder / "page.md").write_text(PAGE)
    link = link_to(memory.db.path, folder, "hard link", ".md")

    done = memory.interchange.import_file(str(folder))

    assert [(link.name, True)] == [(each.where, OPEN in each.why) for each in done.refused]
    assert {"entities": 1} == {k: v for k, v in done.added.items() if k == "entities"}


@pytest.mark.process
@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_a_foreign_log_that_links_to_ours_is_refused(memory, tmp_path, ending):
    path = tmp_path / "other.db"
    shutil.copy(memory.upkeep.create_backup().path, path)
    os.link(database_file(memory, "-wal"), tmp_path / f"other.db{ending}")

    with memory.db.write("test"):
        with pytest.raises(ForbiddenError, match=OPEN):
            memory.interchange.import_file(str(path))

        assert not other_process_takes_write_lock(memory.db.path)


@pytest.mark.process
@pytest.mark.parametrize("ending", ENDINGS[1:])
def test_a_backup_whose_log_links_to_ours_is_not_restored(memory, tmp_path, ending):
    path = tmp_path / "other.db"
    shutil.copy(memory.upkeep.create_backup().path, path)
    os.link(database_file(memory, ending), tmp_path / f"other.db{ending}")

    with memory.db.write("test"):
        with pytest.raises(ForbiddenError, match=OPEN):
            memory.upkeep.restore_backup(str(path), confirm=path.name)

        assert not other_process_takes_write_lock(memory.db.path)


@pytest.mark.process
def test_a_zip_that_holds_a_link_is_refused(memory, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        entry = zipfile.ZipInfo("page.md")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, str(memory.db.path))
    (tmp_path / "upload.zip").write_bytes(packed.getvalue())

    with memory.db.write("test"):
        with pytest.raises(ForbiddenError, match="is a link"):
            memory.interchange.preview_import(str(tmp_path / "upload.zip"))

        assert not other_process_takes_write_lock(memory.db.path)


@pytest.mark.process
def test_an_ontology_that_links_to_an_open_database_is_refused(memory, tmp_path):
    link = link_to(memory.db.path, tmp_path, "hard link", ".json")
    settings = Settings(sqlite_db_file=tmp_path / "second.db", ontology_file=link)

    with memory.db.write("test"):
        with pytest.raises(ForbiddenError, match=OPEN):
            open_memory(settings, embedder=HashingEmbedder())

        assert not other_process_takes_write_lock(memory.db.path)


@pytest.mark.process
def test_a_hard_link_to_an_open_memory_is_not_opened_as_another(memory, tmp_path):
    link = link_to(memory.db.path, tmp_path, "hard link", ".db")

    with memory.db.write("test"):
        with pytest.raises(ForbiddenError, match=OPEN):
            open_memory(path=link, embedder=HashingEmbedder())

        assert not other_process_takes_write_lock(memory.db.path)


def test_a_symlink_to_an_open_memory_opens_the_same_memory(memory, tmp_path):
    link = link_to(memory.db.path, tmp_path, "symlink", ".db")

    second = open_memory(path=link, embedder=HashingEmbedder())
    name = second.graph.get_entity("ann").entity.name
    second.close()

    assert "Ann" == name


def test_a_memory_that_is_closed_can_be_read(memory, tmp_path):
    other = open_memory(path=tmp_path / "other.db", embedder=HashingEmbedder())
    other.graph.create_entity("Bob", "person")
    with pytest.raises(ForbiddenError, match=OPEN):
        memory.interchange.import_file(str(other.db.path))
    other.close()

    assert memory.interchange.import_file(str(other.db.path)).added


def test_a_file_with_a_decomposed_name_is_read_as_named(memory, tmp_path):
    (tmp_path / "re\u0301sume\u0301.txt").write_text("decomposed")
    (tmp_path / "r\u00e9sum\u00e9.txt").write_text("composed")

    added = memory.knowledge.add_file(str(tmp_path / "re\u0301sume\u0301.txt"))

    assert "decomposed" == memory.knowledge.document_text(added.document.id)


def test_a_backup_with_a_decomposed_name_is_restored(memory, tmp_path):
    copy = tmp_path / "sauve\u0301.db"
    shutil.copy(memory.upkeep.create_backup().path, copy)

    assert str(copy) == memory.upkeep.restore_backup(str(copy), confirm=copy.name).restored
