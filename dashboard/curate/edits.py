"""Rows as tables that a person edits, and what was edited as edits to be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from memory_core.model.graph.bulk_edit import Edit, EditKind, EntityRows, ObservationRows
from memory_core.model.graph.entities import Entity, Observation

from ..components.change_view import format_value

PICK, PROJECT, ID = "Pick", "Project", "Id"
# Column of the table: field of an edit.
EDITABLE: Mapping[EditKind, Mapping[str, str]] = {
    "entity": {"Name": "name", "Type": "node_type", "Certainty": "certainty"},
    "observation": {"Observation": "content", "Certainty": "certainty", "Source": "source"},
}
TEXT: Mapping[EditKind, str] = {"entity": "Name", "observation": "Observation"}
ACTS: Mapping[EditKind, Sequence[str]] = {
    "entity": ("retype", "replace", "archive", "restore", "merge", "delete"),
    "observation": ("replace", "delete"),
}


def page_frame(page: EntityRows | ObservationRows) -> pd.DataFrame:
    """Return a page as a table whose rows can be picked."""
    rows = [each.entity for each in page.rows] if isinstance(page, EntityRows) else []
    if isinstance(page, EntityRows):
        return pd.DataFrame(
            {
                PICK: [False] * len(rows),
                "Name": [each.name for each in rows],
                "Type": [each.node_type for each in rows],
                "Certainty": [each.certainty for each in rows],
                "Observations": [each.observations for each in page.rows],
                "Relations": [each.relations for each in page.rows],
                "Status": [each.status for each in rows],
                PROJECT: [each.project_id for each in rows],
                ID: [each.id for each in rows],
            }
        )
    return pd.DataFrame(
        {
            PICK: [False] * len(page.rows),
            "Observation": [each.observation.content for each in page.rows],
            "About": [each.name for each in page.rows],
            "Certainty": [each.observation.certainty for each in page.rows],
            "Source": [each.observation.source for each in page.rows],
            "Status": [each.observation.status for each in page.rows],
            PROJECT: [each.project_id for each in page.rows],
            ID: [each.observation.id for each in page.rows],
        }
    )


def cell_edits(kind: EditKind, shown: pd.DataFrame, edited: pd.DataFrame, seen: int) -> list[Edit]:
    """Return one edit for each row in which a cell differs."""
    edits = []
    for place in range(len(shown)):
        changed = {
            field: _text(edited[column].iloc[place])
            for column, field in EDITABLE[kind].items()
            if _text(edited[column].iloc[place]) != _text(shown[column].iloc[place])
        }
        if any(changed.values()):
            edits.append(Edit(act="change", **_place(kind, shown, place, seen), **changed))
    return edits


def emptied_cell_count(kind: EditKind, shown: pd.DataFrame, edited: pd.DataFrame) -> int:
    """Return how many cells were emptied, which an edit cannot do."""
    return sum(
        not _text(edited[column].iloc[place]) and bool(_text(shown[column].iloc[place]))
        for column in EDITABLE[kind]
        for place in range(len(shown))
    )


def bulk_edits(
    kind: EditKind,
    act: str,
    shown: pd.DataFrame,
    picked: Sequence[int],
    seen: int,
    **how: str,
) -> list[Edit]:
    """Return what one act does to the picked rows; *how*: to, find, by or into."""
    edits = []
    for place in picked:
        at: dict[str, Any] = _place(kind, shown, place, seen)
        if act == "retype" and how["to"] != shown["Type"].iloc[place]:
            edits.append(Edit(act="change", node_type=how["to"], **at))
        if act == "replace":
            text = _text(shown[TEXT[kind]].iloc[place])
            new = text.replace(how["find"], how["by"]) if how["find"] else text
            if new != text:
                edits.append(Edit(act="change", **{EDITABLE[kind][TEXT[kind]]: new}, **at))
        if act == "merge" and at["id"] != how["into"]:
            edits.append(Edit(act="merge", into=how["into"], **at))
        if act in ("archive", "restore", "delete"):
            edits.append(Edit(act=act, **at))
    return edits


def merge_edits(cells: Sequence[Edit], bulk: Sequence[Edit]) -> list[Edit]:
    """Return all edits, the cells first; of one row, a cell that was typed counts more."""
    typed = {(edit.project_id, edit.id): edit for edit in cells}
    rest = []
    for edit in bulk:
        mine = typed.get((edit.project_id, edit.id))
        if mine is None or edit.act != "change":
            rest.append(edit)
            continue
        given = {name: value for name, value in dict(edit).items() if value not in (None, "", 0)}
        own = {name: value for name, value in dict(mine).items() if value not in (None, "", 0)}
        typed[(edit.project_id, edit.id)] = Edit(**{**given, **own})
    return [*typed.values(), *rest]


def describe_edit(edit: Edit, names: Mapping[tuple[str, str], str]) -> str:
    """Say in one line what an edit does; for people, and as plain text only."""
    name = names.get((edit.project_id, edit.id)) or edit.name or edit.id
    fields = {
        "name": edit.name,
        "type": edit.node_type,
        "certainty": edit.certainty,
        "text": edit.content,
        "source": edit.source,
    }
    given = ", ".join(
        f"{what} \u2192 {format_value(new, 120)}" for what, new in fields.items() if new
    )
    if edit.act == "change":
        return f"{format_value(name, 80)}: {given}"
    into = names.get((edit.project_id, edit.into), edit.into)
    more = {"merge": f" into {format_value(into, 80)}", "add": f": {given}"}.get(edit.act, "")
    return f"{edit.act} {format_value(name, 80)}{more}"


def row_names(kind: EditKind, shown: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return what each row of the table is called."""
    return {
        (str(shown[PROJECT].iloc[at]), str(shown[ID].iloc[at])): _text(shown[TEXT[kind]].iloc[at])
        for at in range(len(shown))
    }


def loaded_fields(page: EntityRows | ObservationRows, edit: Edit) -> dict[str, str]:
    """Return what the fields of an edited row were when the page was read."""
    place = (edit.project_id, edit.id)
    if isinstance(page, EntityRows):
        at = (r.entity for r in page.rows if (r.entity.project_id, r.entity.id) == place)
        return _strings(next(at, None), [*EDITABLE["entity"].values(), "status"])
    facts = (r.observation for r in page.rows if (r.project_id, r.observation.id) == place)
    return _strings(next(facts, None), [*EDITABLE["observation"].values(), "status"])


def _strings(row: Entity | Observation | None, fields: Sequence[str]) -> dict[str, str]:
    return {name: str(getattr(row, name)) for name in fields} if row else {}


def _place(kind: EditKind, shown: pd.DataFrame, place: int, seen: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "id": str(shown[ID].iloc[place]),
        "project_id": str(shown[PROJECT].iloc[place]),
        "seen": seen,
    }


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(value)
