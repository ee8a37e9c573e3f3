"""
Rows as CSV and back.

1. A cell that a spreadsheet would take for a formula gets an apostrophe in front, as does one
   that begins with an apostrophe; reading takes it off again, so nothing is lost on the way.
2. Every row says which change was the newest when it was written. What changed after that is
   not overwritten by the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory_core.model.graph.bulk_edit import Edit, EditKind, EntityRows, ObservationRows

MAX_ROWS = 2_000
MAX_BYTES = 5_000_000
COLUMNS: Mapping[EditKind, tuple[str, ...]] = {
    "entity": ("id", "project", "name", "type", "certainty", "status", "version"),
    "observation": ("id", "project", "entity", "content", "certainty", "source", "version"),
}
_REQUIRED: Mapping[EditKind, str] = {"entity": "name", "observation": "content"}
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def to_csv(page: EntityRows | ObservationRows) -> str:
    """Return the rows of a page as CSV."""
    out = io.StringIO()
    kind: EditKind = "entity" if isinstance(page, EntityRows) else "observation"
    writer = csv.DictWriter(out, COLUMNS[kind], lineterminator="\r\n")
    writer.writeheader()
    for row in _entity_cells(page) if isinstance(page, EntityRows) else _fact_cells(page):
        writer.writerow({name: escape_formula(str(value)) for name, value in row.items()})
    return out.getvalue()


def from_csv(raw: bytes, kind: EditKind, project: str) -> tuple[list[Edit], list[str]]:
    """Return the edits that a file asks for, and what is wrong with it, row by row."""
    if len(raw) > MAX_BYTES:
        return [], [f"The file has {len(raw):,} bytes and may have {MAX_BYTES:,}."]
    try:
        reader = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        return [], [f"The file is no CSV in UTF-8: {error}."]
    needed = _REQUIRED[kind]
    if needed not in (reader.fieldnames or ()):
        return [], [f'There is no column "{needed}". Download a CSV here to see the columns.']
    if len(rows) > MAX_ROWS:
        return [], [f"The file has {len(rows):,} rows and may have {MAX_ROWS:,}. Split it."]
    edits: list[Edit] = []
    wrong: list[str] = []
    for place, row in enumerate(rows, start=2):
        cells = {name: unescape_formula(row.get(name) or "") for name in COLUMNS[kind]}
        cells = {n: text if n == "content" else text.strip() for n, text in cells.items()}
        problem = _row_problem(kind, cells, project)
        if problem:
            wrong.append(f"Row {place}: {problem}")
        else:
            edits += _row_edits(kind, cells, project)
    return edits, wrong


def escape_formula(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; a plain number stays as it is."""
    is_formula = text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def unescape_formula(text: str) -> str:
    """Return a cell without the apostrophe that guarded it."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA_STARTS) else text


def _entity_cells(page: EntityRows) -> list[dict[str, Any]]:
    return [
        {
            "id": row.entity.id,
            "project": row.entity.project_id,
            "name": row.entity.name,
            "type": row.entity.node_type,
            "certainty": row.entity.certainty,
            "status": row.entity.status,
            "version": page.seq,
        }
        for row in page.rows
    ]


def _fact_cells(page: ObservationRows) -> list[dict[str, Any]]:
    return [
        {
            "id": row.observation.id,
            "project": row.project_id,
            "entity": row.observation.entity_id,
            "content": row.observation.content,
            "certainty": row.observation.certainty,
            "source": row.observation.source,
            "version": page.seq,
        }
        for row in page.rows
    ]


def _row_problem(kind: EditKind, cells: Mapping[str, str], project: str) -> str:
    if not cells[_REQUIRED[kind]].strip():
        return f'"{_REQUIRED[kind]}" is empty.'
    if not (cells["project"] or project):
        return '"project" is empty, and no project is picked.'
    if cells["version"] and not (cells["version"].isascii() and cells["version"].isdigit()):
        return f'"version" must be a whole number, not {cells["version"]!r}.'
    if kind == "entity" and cells["status"] not in ("", "active", "archived"):
        return f'"status" must be active or archived, not {cells["status"]!r}.'
    if kind == "entity" and not cells["id"] and not cells["type"]:
        return 'a new entity needs a "type".'
    if kind == "observation" and not cells["id"] and not cells["entity"]:
        return 'a new observation needs the id of its "entity".'
    return ""


def _row_edits(kind: EditKind, cells: Mapping[str, str], project: str) -> list[Edit]:
    place: dict[str, Any] = {
        "kind": kind,
        "id": cells["id"],
        "project_id": cells["project"] or project,
        "seen": int(cells["version"] or 0),
    }
    act: Any = "change" if cells["id"] else "add"
    if kind == "observation":
        place["id"] = cells["id"] or cells["entity"]
        fields = {name: cells[name] for name in ("content", "certainty", "source")}
        return [Edit(act=act, **place, **fields)]
    fields = {"name": cells["name"], "node_type": cells["type"], "certainty": cells["certainty"]}
    edits = [Edit(act=act, **place, **fields)]
    if cells["id"] and cells["status"]:
        status: Any = "archive" if cells["status"] == "archived" else "restore"
        edits.append(Edit(act=status, **place))
    return edits


def unversioned_count(edits: Sequence[Edit]) -> int:
    """Return the number of edits of existing rows without a version."""
    return sum(edit.act != "add" and not edit.seen for edit in edits)
