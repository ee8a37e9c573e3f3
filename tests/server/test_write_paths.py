"""Paths that MCP clients name: where tools may write, and what they never overwrite."""

from __future__ import annotations

import os
import sys

import pytest
from exchange import GRAPH, jsonl
from mcp import Client
from okf_bundle import laid

from memory_core import Settings, open_memory
from memory_core.server import tools as tools
from memory_core.server.app import build_server
from memory_core.server.calls.registry import TOOLS, listing

pytestmark = pytest.mark.anyio
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links")

# Arguments of each tool that takes a path, without the path. A tool that is new belongs here.
WRITERS = {
    "backup": ("backup_memory", {}, ".db"),
    "export": ("export_memory", {"format": "jsonl"}, ".jsonl"),
    "bundle": ("export_memory", {"format": "okf", "project_id": "default", "replace": True}, ""),
}
READERS = {"add_file_knowledge", "import_memory", "restore_backup"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with a file that decides who may log in."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture
def memory(home, tmp_path, clock):
    (tmp_path / "data").mkdir()
    (tmp_path / "work").mkdir()
    opened = open_memory(
        Settings(knowledge_roots=(tmp_path / "work",)),
        path=tmp_path / "data" / "memory.db",
        clock=clock,
    )
    opened.graph.create_entity("Ann", "person", observations=["ssh-ed25519 AAAA ann"])
    yield opened
    opened.close()


@pytest.fixture
async def call(memory):
    async with Client(build_server(memory, memory.settings)) as client:

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            return result.content[0].text if result.is_error else result.structured_content

        yield call


def files_in(*folders):
    return sorted(path for folder in folders for path in folder.rglob("*"))


def test_every_tool_that_takes_a_path_is_listed_here():
    named = {
        tool.name
        for tool in TOOLS
        if any("path" in name for name in listing(tool).parameters["properties"])
    }

    assert {tool for tool, _, _ in WRITERS.values()} | READERS <= named
    assert named - READERS - {"find_path", "shortest_path"} == {
        tool for tool, _, _ in WRITERS.values()
    }


@pytest.mark.parametrize("kind", WRITERS)
async def test_a_path_outside_the_allowed_folders_is_not_written(call, tmp_path, home, kind):
    tool, arguments, suffix = WRITERS[kind]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = files_in(home, elsewhere)
    paths = [
        f"~/.ssh/authorized_keys{suffix}",
        "~/.ssh/authorized_keys",
        str(elsewhere / f"copy{suffix}"),
        f"{'../' * 30}{elsewhere.relative_to('/')}/copy{suffix}",
        str(tmp_path / "data" / ".." / "elsewhere" / f"copy{suffix}"),
        f"../../elsewhere/copy{suffix}",
        f"../../../copy{suffix}",
    ]

    answers = [await call(tool, path=path, **arguments) for path in paths]

    assert [] == [answer for answer in answers if "outside the folders" not in str(answer)]
    assert before == files_in(home, elsewhere)
    assert [] == list(tmp_path.glob("copy*")) + list(tmp_path.parent.glob("copy*"))


@posix
@pytest.mark.parametrize("kind", WRITERS)
async def test_a_link_out_of_the_data_folder_is_not_followed(call, tmp_path, home, kind):
    tool, arguments, suffix = WRITERS[kind]
    data = tmp_path / "data"
    for folder in ("exports", "backups"):
        (data / folder).mkdir(exist_ok=True)
        (data / folder / f"key{suffix}").symlink_to(home / ".ssh" / "authorized_keys")
        (data / folder / "home").symlink_to(home)

    paths = (f"key{suffix}", f"exports/home/copy{suffix}", f"backups/home/copy{suffix}")
    answers = [
        await call(tool, path=path if "/" not in path else str(data / path), **arguments)
        for path in paths
    ]

    assert [] == [answer for answer in answers if "outside the folders" not in str(answer)]
    assert [home / ".ssh"] == files_in(home)


@pytest.mark.parametrize("kind", WRITERS)
async def test_the_data_folder_and_allowed_roots_are_written(call, tmp_path, kind):
    tool, arguments, suffix = WRITERS[kind]
    folders = (tmp_path / "data", tmp_path / "work")
    paths = (f"bare{suffix}", *(str(folder / f"copy{suffix}") for folder in folders))

    written = [await call(tool, path=path, **arguments) for path in paths]

    assert [True] * 3 == [os.path.exists(answer["path"]) for answer in written]


async def test_a_database_in_the_home_folder_does_not_open_the_home(tmp_path, home, clock):
    memory = open_memory(
        Settings(knowledge_roots=(tmp_path / "work",)), path=home / "m.db", clock=clock
    )
    async with Client(build_server(memory, memory.settings)) as client:
        for kind, (tool, arguments, suffix) in WRITERS.items():
            refused = await client.call_tool(
                tool, {"path": str(home / ".ssh" / f"x{suffix}"), **arguments}
            )
            done = await client.call_tool(tool, {"path": f"{kind}{suffix}", **arguments})
            assert (True, False) == (refused.is_error, done.is_error)
    memory.close()

    assert [] == list((home / ".ssh").iterdir())


@pytest.mark.parametrize("tool", sorted(READERS))
async def test_a_path_outside_the_allowed_folders_is_not_read(call, memory, tmp_path, tool):
    outside = tmp_path / "outside.db"
    os.rename((await call("backup_memory", path="copy.db"))["path"], outside)
    argument = "file_path" if tool == "add_file_knowledge" else "path"
    confirm = {"confirm": outside.name} if tool == "restore_backup" else {}

    answer = await call(tool, **{argument: str(outside)}, **confirm)

    assert "outside the folders" in str(answer)
    assert [outside] == list(tmp_path.glob("outside*"))


@posix
@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("link", ["none", "hard", "symbolic"])
async def test_the_live_database_is_never_overwritten(call, memory, tmp_path, ending, link):
    own = tmp_path / "data" / f"memory.db{ending}"
    missing = not own.exists()
    targets = {kind: str(own) for kind in WRITERS}
    if link != "none":
        for kind, (_, _, suffix) in WRITERS.items():
            place = tmp_path / "work" / f"{kind}{suffix}"
            targets[kind] = str(place)
            if link == "symbolic":
                place.symlink_to(own)
            elif not missing:
                place.hardlink_to(own)
    if link == "hard" and missing:
        pytest.skip("there is nothing to link to")
    inode = None if missing else own.stat().st_ino

    answers = [
        await call(tool, path=targets[kind], **arguments)
        for kind, (tool, arguments, _) in WRITERS.items()
    ]

    assert ["open memory database" in str(answer) for answer in answers] == [True] * 3
    assert missing != own.exists() and inode == (None if missing else own.stat().st_ino)
    assert "green" == memory.health.checkup().report.status


@posix
async def test_a_bundle_does_not_replace_a_database_named_like_a_page(tmp_path, clock):
    (tmp_path / "work").mkdir()
    memory = open_memory(
        Settings(knowledge_roots=(tmp_path / "work",)),
        path=tmp_path / "work" / "index.md",
        clock=clock,
    )
    memory.graph.create_entity("Ann", "person")
    async with Client(build_server(memory, memory.settings)) as client:
        refused = await client.call_tool(
            "export_memory",
            {
                "path": str(tmp_path / "work"),
                "format": "okf",
                "project_id": "default",
                "replace": True,
            },
        )
    assert refused.is_error and "open memory database" in refused.content[0].text
    assert ["Ann"] == [each.name for each in memory.graph.list_entities().entities]
    memory.close()


async def test_a_refused_backup_deletes_no_file_of_others(call, tmp_path):
    names = [f"x.part{end}" for end in ("", "-wal", "-shm", "-journal")]
    places = [tmp_path / "work", tmp_path / "data" / "backups"]
    for folder in places:
        folder.mkdir(exist_ok=True)
        for name in ("x", *names):
            (folder / name).write_text("mine")

    answers = [await call("backup_memory", path=str(folder / "x")) for folder in places]

    assert ["exists already" in str(answer) for answer in answers] == [True, True]
    assert ["mine"] * 10 == [
        (folder / name).read_text() for folder in places for name in ("x", *names)
    ]


async def test_tools_delete_no_file_that_looks_like_a_temporary_one(call, tmp_path):
    work = tmp_path / "work"
    pid = os.getpid()
    names = [
        *("b.db.part", "b.db.part-wal", "b.db.part-shm", "b.db.part-journal"),
        *(f".{name}.{pid}.part" for name in ("b.db", "e.jsonl", "wiki", "index.md")),
        *("b.db.restoring", ".b.db.part", "e.jsonl.part", "e.jsonl.tmp"),
    ]
    for name in names:
        (work / name).write_text("mine")
    (work / "wiki.part").mkdir()

    await call("backup_memory", path=str(work / "b.db"))
    await call("export_memory", path=str(work / "e.jsonl"))
    await call("export_memory", path=str(work / "e.jsonl"))
    for replace in (False, True):
        await call(
            "export_memory",
            path=str(work / "wiki"),
            format="okf",
            project_id="default",
            replace=replace,
        )
    await call("restore_backup", path=str(work / "b.db"), confirm="b.db")

    assert ["mine"] * len(names) == [(work / name).read_text() for name in names]
    made = {"b.db", "e.jsonl", "wiki", "wiki.part"}
    assert {*names, *made} == {path.name for path in work.iterdir()}


async def test_imports_still_read_the_allowed_folders(call, tmp_path):
    (tmp_path / "work" / "graph.json").write_text(jsonl(*GRAPH))
    laid(tmp_path / "work" / "wiki")

    for name in ("graph.json", "wiki"):
        assert (await call("import_memory", path=str(tmp_path / "work" / name)))["added"]
