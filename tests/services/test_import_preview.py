from __future__ import annotations

import json

import pytest
from exchange import GRAPH, carried, jsonl, opened, place
from okf_bundle import laid
from tables import rows

from memory_core import CancelledError, ValidationError, track_progress


def given(memory, kind):
    """Return the path of a file of that kind, for *memory*."""
    if kind == "okf":
        return laid(memory.db.path.parent / "bundle")
    if kind == "mcp":
        return place(memory, "graph.json", jsonl(*GRAPH))
    folder = memory.db.path.parent / "other"
    folder.mkdir()
    other = opened(folder, memory.db.clock, "other")
    other.graph.create_entity("Ann", "person", observations=["rows"])
    path = carried(other.interchange.export_project("all.jsonl"), memory)
    other.close()
    return path


@pytest.mark.parametrize("kind", ["jsonl", "mcp", "okf"])
def test_a_preview_counts_what_the_import_does_and_writes_nothing(memory, kind):
    memory.graph.create_entity("Ann", "person", observations=["is 30"])
    path, before = given(memory, kind), rows(memory)
    would = memory.interchange.preview_import(path)
    after = rows(memory)
    done = memory.interchange.import_file(path)

    assert before == after
    assert ("", []) == (would.batch_id, list(memory.interchange.folder.glob("preview-*")))
    for reported in ("format", "added", "already_there", "refused_count", "mapped"):
        assert getattr(would, reported) == getattr(done, reported)


def test_preview_of_an_unknown_format_reports_the_reason(memory):
    with pytest.raises(ValidationError, match="Unsupported"):
        memory.interchange.preview_import(place(memory, "notes.txt", "just words"))

    assert [] == list(memory.interchange.folder.glob("*"))


def test_preview_stops_when_cancelled(memory):
    people = [{"type": "entity", "name": f"P {n}", "entityType": "person"} for n in range(600)]
    path = place(memory, "people.jsonl", "\n".join(map(json.dumps, people)))
    with pytest.raises(CancelledError), track_progress(cancelled=lambda: True):
        memory.interchange.preview_import(path)

    assert 0 == memory.graph.list_entities().total
    assert [] == list(memory.interchange.folder.glob("*"))
