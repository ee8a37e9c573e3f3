"""Conflict resolution for one row: the versions side by side and the choice between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memory_core.model.graph.bulk_edit import Edit, EditProblem

from ..components.change_view import format_value
from ..components.elements import Part, part, show

MAX_SHOWN = 12
_LABELS = {"name": "name", "node_type": "type", "content": "text"}

Choose = Callable[[Edit, EditProblem], None]


def show_conflicts(
    edits: Sequence[Edit],
    problems: Sequence[EditProblem],
    *,
    loaded: Callable[[Edit], dict[str, str]],
    keep_mine: Choose,
    keep_theirs: Choose,
) -> None:
    """Show each row that changed since it was loaded, with a choice of its version."""
    for problem in [each for each in problems if each.stored][:MAX_SHOWN]:
        edit = edits[problem.place]
        with st.container(border=True):
            show(*_version_parts(edit, problem, loaded(edit)), key=f"conflict_{problem.place}")
            with st.container(horizontal=True):
                st.button(
                    "Keep mine",
                    key=f"mine_{problem.place}",
                    on_click=keep_mine,
                    args=(edit, problem),
                )
                st.button(
                    "Keep theirs",
                    key=f"theirs_{problem.place}",
                    on_click=keep_theirs,
                    args=(edit, problem),
                )


def _version_parts(edit: Edit, problem: EditProblem, loaded: dict[str, str]) -> list[Part]:
    """Return the versions of each field that differs, as parts."""
    parts: list[Part] = [part("div", "strong", problem.why)]
    if edit.act != "change":
        parts.append(part("div", "", f"Yours: {edit.act} it."))
    for name, now in problem.stored.items():
        typed = str(getattr(edit, name, "") or "")
        was = loaded.get(name, now)
        if not typed and was == now:
            continue
        versions = [("when loaded", was), ("stored now", now)]
        if typed:
            versions.append(("yours", typed))
        parts.append(
            part(
                "div",
                "line",
                part("span", "faint", _LABELS.get(name, name)),
                *[
                    part("span", "", part("span", "faint", f"{label} "), format_value(text, 200))
                    for label, text in versions
                ],
            )
        )
    return parts
