from __future__ import annotations

import os
import sys

import pytest
from exchange import GRAPH, jsonl, names, place

from memory_core import ConflictError, ForbiddenError, NotFoundError, ValidationError
from memory_core.services.import_export.interchange import Interchange, Writers

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def strict(memory, **caps):
    writers = Writers(memory.graph, memory.observations, memory.relations)
    return Interchange(memory.db, memory._ids, writers, roots=[], **caps)


def test_overlong_line_is_rejected_and_the_next_read(memory):
    long = {**GRAPH[2], "name": "Long", "observations": ["x" * 5_000]}
    path = place(memory, "memory.json", jsonl(GRAPH[2], long, GRAPH[5]))

    imported = strict(memory, longest_line=1_000).import_file(path)

    assert ["Ann", "Bob"] == names(memory)
    assert [("line 2", "it is longer than 1,000 bytes")] == [
        (each.where, each.why) for each in imported.refused
    ]


def test_oversized_file_is_rejected(memory):
    path = place(memory, "memory.json", jsonl(*GRAPH))

    with pytest.raises(ForbiddenError, match="may have 100"):
        strict(memory, largest=100).import_file(path)


@posix
def test_devices_pipes_and_path_traversal_are_rejected(memory, tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "zero.jsonl").symlink_to("/dev/zero")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.jsonl"
    outside.write_text(jsonl(*GRAPH))
    (tmp_path / "link.jsonl").symlink_to(outside)
    mine = strict(memory)

    for name in ("pipe.jsonl", "zero.jsonl", "link.jsonl"):
        with pytest.raises(ForbiddenError):
            mine.import_file(str(tmp_path / name))
        with pytest.raises(ForbiddenError):
            mine.export_project(str(tmp_path / name))
    with pytest.raises(ForbiddenError):
        mine.import_file("/dev/zero")
    assert jsonl(*GRAPH) == outside.read_text()


@posix
def test_open_database_is_never_read_as_a_file(memory, tmp_path):
    memory.graph.create_entity("Tea", "topic")
    os.link(memory.db.path, tmp_path / "linked.jsonl")

    for path in (memory.db.path, tmp_path / "memory.db-wal", tmp_path / "linked.jsonl"):
        with pytest.raises(ForbiddenError, match="open memory database"):
            memory.interchange.import_file(str(path))
    with pytest.raises(ForbiddenError, match="open memory database"):
        memory.interchange.export_project(str(tmp_path / "linked.jsonl"))


def test_exports_replace_only_exports(memory, tmp_path):
    first = memory.interchange.export_project("a.jsonl")
    memory.graph.create_entity("Tea", "topic")
    (tmp_path / "notes.jsonl").write_text("mine\n")

    second = memory.interchange.export_project(first.path)

    assert first.path == second.path and first.sha256 != second.sha256
    with pytest.raises(ConflictError, match="no export"):
        memory.interchange.export_project(str(tmp_path / "notes.jsonl"))
    with pytest.raises(ValidationError, match=r"end in \.jsonl"):
        memory.interchange.export_project(str(tmp_path / "memory.txt"))
    with pytest.raises(ValidationError, match="no folder"):
        memory.interchange.export_project(str(tmp_path / "nowhere" / "a.jsonl"))
    assert "mine\n" == (tmp_path / "notes.jsonl").read_text()
    assert [] == list(tmp_path.rglob("*.part*"))


@pytest.mark.parametrize(
    "content", ["", "\n\n", "hello", "{}", '{"type": "x"}', "[1, 2]", "\0" * 99]
)
def test_unknown_format_error_lists_supported_formats(memory, content):
    with pytest.raises(ValidationError, match="knowledge-graph"):
        memory.interchange.import_file(place(memory, "x.txt", content))


def test_a_missing_file_and_a_wrong_format_are_named(memory):
    path = place(memory, "memory.json", jsonl(*GRAPH))

    with pytest.raises(NotFoundError):
        memory.interchange.import_file("nothing.jsonl")
    with pytest.raises(ValidationError, match="format mcp, not sqlite"):
        memory.interchange.import_file(path, format="sqlite")
    with pytest.raises(ValidationError, match="auto"):
        memory.interchange.import_file(path, format="csv")
