"""Page Curate: edit many rows in tables, bulk actions, CSV; every save is one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from dashboard import state
from dashboard.components.commit_on_enter import careful_enter
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import format_count, number
from dashboard.components.paging import offset_of, pager
from dashboard.curate import editor_state, spreadsheet
from dashboard.curate import edits as curating
from dashboard.curate.edits import ACTS, ID, PICK, PROJECT, TEXT
from dashboard.saving import apply, conflicts, undo
from memory_core import MemoryCoreError
from memory_core.model.graph.bulk_edit import BulkEditResult, Edit, EditKind, EditProblem

SIZE, LINES = 50, 12
UPLOADS = "curate_uploads"
KINDS: dict[str, EditKind] = {"Entities": "entity", "Observations": "observation"}
STATUSES = {"entity": ("active", "archived", "all"), "observation": ("active", "superseded", "all")}
ACT_NAMES = {
    "": "choose what to do",
    "retype": "change the type",
    "replace": "replace in the text",
    "archive": "archive",
    "restore": "restore",
    "merge": "merge",
    "delete": "delete",
}
Rows = editor_state.Rows


class Asked(NamedTuple):
    """Which rows are in the table."""

    kind: EditKind
    project: str
    filters: tuple[str, tuple[str, ...], str]
    offset: int

    def rows(self) -> Rows:
        return _read_rows(self.kind, self.project, self.filters, limit=SIZE, offset=self.offset)


def page() -> None:
    project, seq = state.project(), state.version()
    if not _any(state.EVERY_PROJECT, seq):
        _empty()
        return
    heading = st.container()
    # Each has a place that stays: if the table moved on the page, cells being typed would go.
    with st.container():
        undo.show_offer()
    kind, filters = _filters()
    asked = Asked(kind, project, filters, offset_of("curate", kind, project, *filters))
    shown = editor_state.open_sheet(asked, asked.rows)
    rows = shown.rows
    with heading:
        what = format_count(rows.total, "entity", "entities")
        what = what if kind == "entity" else format_count(rows.total, "observation")
        st.title(f"{what} to review and edit")
    with st.container():
        _meanwhile(asked, shown, seq)
    if not rows.rows:
        st.write("Nothing is here that these filters let through. Take one of them away.")
    else:
        _table(asked, shown)
    pager("curate", len(rows.rows), rows.total, size=SIZE)
    with st.expander("CSV, out and in", expanded=bool(st.session_state.get("curate_file"))):
        _download(kind, project, filters)
        _upload(asked)


def _filters() -> tuple[EditKind, tuple[str, tuple[str, ...], str]]:
    types = [each.name for each in state.memory().graph.ontology.entity_types]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = str(st.selectbox("Table", list(KINDS), key="curate_kind", width=150))
        kind = KINDS[name]
        query = st.text_input(
            "Find", placeholder="A part of the text", key="curate_find", width=240
        )
        chosen = st.multiselect("Types", types, placeholder="All", key="curate_types", width=220)
        status = str(
            st.selectbox(
                "Status",
                STATUSES[kind],
                format_func=str.capitalize,
                key=f"curate_status_{kind}",
                width=130,
            )
        )
    return kind, (query, tuple(chosen), status)


def _read_rows(
    kind: EditKind, project: str, filters: tuple[Any, ...], *, limit: int, offset: int = 0
) -> Rows:
    curation = state.memory().curation
    read = curation.list_entities if kind == "entity" else curation.list_observations
    query, types, status = filters
    found: Rows = read(
        project_id=project,
        query=query,
        node_types=types,
        status=status,
        limit=limit,
        offset=offset,
    )
    return found


def _meanwhile(asked: Asked, shown: editor_state.Sheet, seq: int) -> None:
    """Say that the memory has moved on, and offer to read the table again."""
    if others := editor_state.unsaved_elsewhere(asked):
        st.caption(
            f"{format_count(others, 'row')} with edits not saved on other pages or under other "
            "filters: they wait there."
        )
    if seq == shown.rows.seq:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{format_count(seq - shown.rows.seq, 'change')} since this table was read. Rows that "
            "changed will not be overwritten."
        )
        if st.button("Read again", key="curate_again", help="What you typed stays in its row."):
            editor_state.reload_sheet(asked, shown, asked.rows, set(shown.typed))
            st.rerun()


def _table(asked: Asked, shown: editor_state.Sheet) -> None:
    """Show the editor and, as soon as something was edited, what saving it would do."""
    kind = asked.kind
    read, begun = editor_state.editor_frames(shown)
    careful_enter()
    edited = st.data_editor(
        begun,
        key=f"curate_{kind}_{shown.number}",
        hide_index=True,
        num_rows="fixed",
        disabled=[c for c in read.columns if c not in (PICK, *curating.EDITABLE[kind])],
        column_config=_columns(kind, read),
    )
    shown = editor_state.record_edits(asked, shown, read, edited)
    picked = [place for place in range(len(read)) if bool(edited[PICK].iloc[place])]
    names = curating.row_names(kind, read)
    bulk = _bulk(kind, edited, picked, shown.rows.seq) if picked else []
    cells = curating.cell_edits(kind, read, edited, shown.rows.seq)
    edits = shown.with_seen(curating.merge_edits(cells, bulk))
    if curating.emptied_cell_count(kind, read, edited):
        st.caption("An emptied cell keeps what was in it.")
    if edits:
        _preview(edits, names, key="table", asked=asked, shown=shown)
    elif not picked:
        st.caption(
            "Edit a cell, or pick rows for more. Nothing is saved before you have seen what will "
            "happen."
        )


def _columns(kind: EditKind, shown: pd.DataFrame) -> dict[str, Any]:
    columns: dict[str, Any] = {
        PICK: st.column_config.CheckboxColumn(width=58),
        # Wide enough to be read, and the other columns still fit.
        TEXT[kind]: st.column_config.TextColumn(
            width=230 if kind == "entity" else 400, required=True
        ),
        ID: st.column_config.TextColumn(width="small"),
        PROJECT: st.column_config.TextColumn(width="small"),
    }
    if kind == "entity":
        known = [each.name for each in state.memory().graph.ontology.entity_types]
        types = list(dict.fromkeys([*known, *shown["Type"]]))
        columns["Type"] = st.column_config.SelectboxColumn(options=types, required=True)
    return columns


def _bulk(kind: EditKind, shown: pd.DataFrame, picked: Sequence[int], seen: int) -> list[Edit]:
    """Ask what to do with the picked rows; return the edits of that."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        act = str(
            st.selectbox(
                f"With the {format_count(len(picked), 'picked row')}",
                ["", *ACTS[kind]],
                format_func=ACT_NAMES.__getitem__,
                key="curate_act",
                width=220,
            )
        )
        how: dict[str, str] = {}
        if act == "retype":
            types = [each.name for each in state.memory().graph.ontology.entity_types]
            how["to"] = str(st.selectbox("To", types, key="curate_to", width=200))
        if act == "replace":
            how["find"] = st.text_input("Replace", key="curate_replace", width=200)
            how["by"] = st.text_input("By", key="curate_by", width=200)
        if act == "merge":
            ids = {str(shown[ID].iloc[at]): str(shown["Name"].iloc[at]) for at in picked}
            how["into"] = str(
                st.selectbox(
                    "Into", list(ids), format_func=ids.__getitem__, key="curate_into", width=260
                )
            )
    return curating.bulk_edits(kind, act, shown, picked, seen, **how) if act else []


def _preview(
    edits: Sequence[Edit],
    names: dict[tuple[str, str], str],
    *,
    key: str,
    asked: Asked,
    shown: editor_state.Sheet,
    forget: Sequence[str] = (),
) -> None:
    """Show what saving would do, what stands in its way, and the button that saves."""
    would = apply.preview_edits(edits)
    if would is None:
        return
    with st.container(border=True):
        lines: list[Part] = [
            part("li", "tight", curating.describe_edit(edit, names)) for edit in edits[:LINES]
        ]
        if len(edits) > LINES:
            lines.append(part("li", "faint", f"and {number(len(edits) - LINES)} more"))
        head = part("div", "strong", f"Saving makes {format_count(len(edits), 'edit')}:")
        counts = [] if would.problems else [apply.row_count_parts(would)]
        show(head, part("ul", "", *lines), *counts, key=f"preview_{key}")
        _problems(edits, would.problems, key=key, asked=asked, shown=shown)
        _save_button(edits, would, key=key, asked=asked, shown=shown, forget=forget)


def _problems(
    edits: Sequence[Edit],
    problems: Sequence[EditProblem],
    *,
    key: str,
    asked: Asked,
    shown: editor_state.Sheet,
) -> None:
    """Name what stands in the way; of a row of the table, let one version be chosen."""
    if key == "csv":
        apply.show_problems(problems, key=f"stands_{key}")
        return
    apply.show_problems(problems, key=f"stands_{key}", listed=False)
    rest = [problem for problem in problems if not problem.stored]
    show(*[part("div", "tight", problem.why) for problem in rest[:LINES]], key="cannot")
    conflicts.show_conflicts(
        edits,
        problems,
        loaded=lambda edit: curating.loaded_fields(shown.rows, edit),
        keep_mine=lambda edit, problem: editor_state.keep_mine(asked, shown, edit, problem),
        keep_theirs=lambda edit, problem: editor_state.keep_theirs(asked, shown, edit, problem),
    )


def _save_button(
    edits: Sequence[Edit],
    would: BulkEditResult,
    *,
    key: str,
    asked: Asked,
    shown: editor_state.Sheet,
    forget: Sequence[str],
) -> None:
    stuck = {problem.place for problem in would.problems}
    able = [edit for place, edit in enumerate(edits) if place not in stuck]
    if not able:
        return
    label = (
        f"Save {format_count(len(able), 'edit')}" if not stuck else f"Save the other {len(able)}"
    )
    if st.button(label, type="primary", key=f"save_{key}"):
        left = {(edits[place].project_id, edits[place].id) for place in stuck}
        said = f"{format_count(len(able), 'edit was', 'edits were')} saved."
        if left:
            said += f" {format_count(len(left), 'row was', 'rows were')} left as stored."
        apply.save_edits(
            able,
            said,
            forget=forget,
            then=lambda: editor_state.reload_sheet(asked, shown, asked.rows, left),
        )


def _download(kind: EditKind, project: str, filters: tuple[Any, ...]) -> None:
    st.download_button(
        f"Download what matches, at most {number(spreadsheet.MAX_ROWS)} rows",
        lambda: spreadsheet.to_csv(
            _read_rows(kind, project, filters, limit=spreadsheet.MAX_ROWS)
        ).encode("utf-8-sig"),
        file_name=f"{kind}-table.csv",
        mime="text/csv",
        on_click="ignore",
    )


def _upload(asked: Asked) -> None:
    """Take a CSV, say what is wrong with it, and what saving it would do."""
    kind, project = asked.kind, asked.project
    count = st.session_state.setdefault(UPLOADS, 0)
    given = st.file_uploader(
        "Upload the table, edited", type="csv", key=f"curate_upload_{kind}_{count}"
    )
    st.session_state["curate_file"] = given is not None
    if given is None:
        st.caption(
            "Rows with an id are changed, rows without one are added, rows that are missing from "
            "the file stay. You see what will happen before anything is saved."
        )
        return
    where = "" if project == state.EVERY_PROJECT else project
    edits, wrong = spreadsheet.from_csv(given.getvalue(), kind, where)
    if wrong:
        st.error("This file cannot be taken in as it is. Nothing was changed.")
        more = [f"and {len(wrong) - LINES} more"] if len(wrong) > LINES else []
        show(part("ul", "", *[part("li", "", w) for w in wrong[:LINES] + more]), key="csv_wrong")
        return
    try:
        edits = state.memory().curation.count_differing(edits)
    except MemoryCoreError as error:
        state.show_error("The file could not be compared. Nothing was changed.", error)
        return
    if not edits:
        st.info("Everything in this file is stored just so already.")
        return
    if spreadsheet.unversioned_count(edits):
        st.warning("Without versions, concurrent changes cannot be detected.")
    shown = editor_state.open_sheet(asked, asked.rows)
    _preview(edits, {}, key="csv", asked=asked, shown=shown, forget=[UPLOADS, "curate_file"])


def _empty() -> None:
    st.title("There is nothing to curate yet")
    st.write(
        "Here the entities and observations of a project stand in tables: edit a cell, retype, "
        "merge, archive or delete many rows at once, or take them out as CSV and in again. The "
        "Overview has a button that loads a demonstration."
    )
    st.page_link("views/overview.py", label="To the Overview")


@st.cache_data(show_spinner=False, max_entries=4)
def _any(project: str, seq: int) -> bool:
    return bool(
        state.memory().curation.list_entities(project_id=project, status="all", limit=1).total
    )


page()
