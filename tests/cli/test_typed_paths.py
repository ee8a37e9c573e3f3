"""Paths typed at the command line: any folder is allowed, the live database never."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import apsw
import pytest
from architecture.source import CORE, ROOT, product_modules
from exchange import GRAPH, jsonl, names
from okf_bundle import documents, laid

from memory_core import ForbiddenError
from memory_core.context import typed_paths

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links")


@pytest.fixture
def elsewhere(tmp_path_factory):
    """A folder that no setting allows."""
    return tmp_path_factory.mktemp("elsewhere")


def test_a_typed_path_is_imported_from_any_folder(cli, memory, elsewhere):
    (elsewhere / "graph.json").write_text(jsonl(*GRAPH))

    done = cli("import", str(elsewhere / "graph.json"))

    assert (0, False) == (done.code, "Error" in done.err)
    assert ["Ann", "Bob", "Tea"] == names(memory)
    with pytest.raises(ForbiddenError, match="outside"):
        memory.interchange.import_file(str(elsewhere / "graph.json"))


def test_a_typed_path_relative_to_any_folder_is_allowed(cli, memory, elsewhere, monkeypatch):
    (elsewhere / "sub").mkdir()
    (elsewhere / "graph.json").write_text(jsonl(*GRAPH))
    monkeypatch.chdir(elsewhere / "sub")

    codes = [
        cli("import", "../graph.json").code,
        cli("export", "./out.jsonl").code,
        cli("backup", "../copy.db").code,
        cli("import", "../copy.db").code,
    ]

    assert [0] * 4 == codes
    assert (elsewhere / "sub" / "out.jsonl").is_file() and (elsewhere / "copy.db").is_file()


def test_a_typed_file_becomes_a_document_from_any_folder(cli, memory, elsewhere):
    (elsewhere / "note.md").write_text("The kettle leaks.")

    done = cli("add", "--file", str(elsewhere / "note.md"))

    assert (0, True) == (done.code, done.out.startswith("added"))
    assert "NOT_FOUND" in cli("add", "--file", str(elsewhere / "gone.md")).err


def test_copies_go_to_and_come_from_any_folder(cli, memory, elsewhere):
    memory.graph.create_entity("Ann", "person")
    copy, out = elsewhere / "copy.db", elsewhere / "out.jsonl"

    codes = [cli("backup", str(copy)).code, cli("export", str(out)).code]
    memory.graph.create_entity("Bob", "person")
    codes.append(cli("restore", str(copy), "--yes").code)

    assert [0, 0, 0] == codes
    assert ["Ann"] == names(memory)
    assert {copy.name, out.name} == {path.name for path in elsewhere.iterdir()}


@posix
def test_a_restore_through_a_typed_link_is_confirmed_by_its_name(cli, memory, elsewhere):
    cli("backup", str(elsewhere / "copy.db"))
    (elsewhere / "latest.db").symlink_to(elsewhere / "copy.db")

    assert 0 == cli("restore", str(elsewhere / "latest.db"), stdin="latest.db\n").code


def test_bundles_go_to_and_come_from_any_folder(cli, elsewhere):
    wiki, out = laid(elsewhere / "wiki"), str(elsewhere / "out")

    codes = [
        cli("okf", "validate", wiki).code,
        cli("okf", "graph", wiki).code,
        cli("import", wiki, "--project", "wiki").code,
        cli("export", out, "--format", "okf", "--project", "wiki").code,
    ]

    assert [0] * 4 == codes
    assert documents(wiki) == documents(out)


def test_a_database_with_its_log_is_imported_from_any_folder(cli, memory, elsewhere):
    writer = apsw.Connection(str(elsewhere / "other.db"))
    for statement in ("pragma journal_mode = wal", "create table memories (id, content text)"):
        writer.execute(statement).fetchall()
    writer.execute("insert into memories values (1, 'The kettle leaks')")

    done = cli("import", str(elsewhere / "other.db"), "--json").json
    writer.close()

    assert "The kettle leaks" in cli("search", "kettle", "--words-only").out, done


@posix
def test_links_in_a_typed_bundle_do_not_lead_out_of_it(cli, memory, elsewhere):
    wiki = Path(laid(elsewhere / "wiki"))
    (elsewhere / "key.md").write_text("---\ntype: note\n---\nsecret\n")
    (wiki / "link.md").symlink_to(elsewhere / "key.md")

    done = cli("import", str(wiki), "--json").json

    assert ["link.md"] == [each["where"] for each in done["refused"]]


@posix
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_typed_path_never_opens_or_replaces_the_live_database(cli, memory, elsewhere, ending):
    memory.graph.create_entity("Ann", "person")
    own = memory.db.path.with_name(memory.db.path.name + ending)
    links = {suffix: elsewhere / f"link{suffix}" for suffix in (".db", ".jsonl", ".mcpb", "")}
    for link in links.values():
        link.symlink_to(own)

    refused = [
        cli("backup", str(own)),
        cli("backup", str(links[".db"])),
        cli("export", str(links[".jsonl"])),
        cli("export", str(links[""]), "--format", "okf", "--replace"),
    ]
    if own.exists():
        refused += [
            cli("import", str(links[".jsonl"])),
            cli("restore", str(links[".db"]), "--yes"),
            cli("add", "--file", str(links[""])),
        ]

    assert [True] * len(refused) == ["open memory database" in each.err for each in refused]
    assert ["Ann"] == names(memory) and "green" == memory.health.checkup().report.status


@posix
def test_a_desktop_bundle_does_not_replace_the_live_database(cli, memory, elsewhere, monkeypatch):
    monkeypatch.setattr(type(memory.settings), "database_path", lambda _: memory.db.path)
    (elsewhere / "link.mcpb").hardlink_to(memory.db.path)

    refused = cli("mcpb", str(elsewhere / "link.mcpb"), "--replace")

    assert (1, True) == (refused.code, "open memory database" in refused.err)
    assert (elsewhere / "link.mcpb").samefile(memory.db.path)


def test_the_permission_ends_with_its_command(cli, memory, elsewhere):
    (elsewhere / "graph.json").write_text(jsonl(*GRAPH))
    lines = f"import {elsewhere / 'graph.json'}\nlist\n"

    assert 0 == cli("shell", stdin=lines).code
    assert () == typed_paths()


def test_only_the_command_line_gives_the_permission():
    users = {
        path.relative_to(ROOT).as_posix()
        for path in product_modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name | ast.Attribute | ast.alias)
        and "allowing_typed_path"
        in (getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", ""))
    }

    assert {(CORE / "cli" / "command.py").relative_to(ROOT).as_posix()} == users
