"""Two who changed one row: who was faster, what stands in each version, and which one is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memory_core.model.graph.bulk_edit import Edit, Problem

from ..components.change_view import written
from ..components.elements import Part, part, show

SHOWN = 12
_WORDS = {"name": "name", "node_type": "type", "content": "text"}

Choose = Callable[[Edit, Problem], None]


def show_conflicts(
    edits: Sequence[Edit],
    problems: Sequence[Problem],
    *,
    read: Callable[[Edit], dict[str, str]],
    mine: Choose,
    theirs: Choose,
) -> None:
    """Name each row that changed since it was read, and let the person choose a version of it."""
    for problem in [each for each in problems if each.stored][:SHOWN]:
        edit = edits[problem.place]
        with st.container(border=True):
            show(*_versions(edit, problem, read(edit)), key=f"conflict_{problem.place}")
            with st.container(horizontal=True):
                st.button(
                    "Keep mine",
                    key=f"mine_{problem.place}",
                    on_click=mine,
                    args=(edit, problem),
                )
                st.button(
                    "Keep theirs",
                    key=f"theirs_{problem.place}",
                    on_click=theirs,
                    args=(edit, problem),
                )


def _versions(edit: Edit, problem: Problem, read: dict[str, str]) -> list[Part]:
    """Return the versions of each field that is in question, as parts."""
    parts: list[Part] = [part("div", "strong", problem.why)]
    if edit.act != "change":
        parts.append(part("div", "", f"Yours: {edit.act} it."))
    for name, now in problem.stored.items():
        asked = str(getattr(edit, name, "") or "")
        was = read.get(name, now)
        if not asked and was == now:
            continue
        versions = [("when you read it", was), ("stored now", now)]
        if asked:
            versions.append(("yours", asked))
        parts.append(
            part(
                "div",
                "line",
                part("span", "faint", _WORDS.get(name, name)),
                *[
                    part("span", "", part("span", "faint", f"{whose} "), written(text, 200))
                    for whose, text in versions
                ],
            )
        )
    return parts
