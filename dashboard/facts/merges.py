"""Merged facts: originals, result and undo."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memory_core.model.facts.fact_review import MergedFact

from .. import state
from ..components.cursors import Pages
from ..components.elements import Part, part, show
from ..components.formatting import ago, exact, format_count, readable
from ..saving import undo
from .scope import owner_parts, pick_scope, scope_of

SIZE = 20
REQUESTED = "fused_asked"
# The word for what happened, and what stands over the fact before and after.
OUTCOMES = {
    "rewritten": ("merged", "amber", "It said", "It says now"),
    "superseded": ("superseded", "blue", "No longer found", "Stands in its place"),
    "duplicate": ("duplicate", "amber", "No longer found", "Says the same"),
    "kept_both": ("kept both", "", "Kept", "Seems to say the same"),
}


def show_merges(heading: DeltaGenerator) -> None:
    """Show every fact that another one was put in the place of, the newest act first."""
    with st.container(horizontal=True):
        asked = pick_scope()
    pages = Pages("fused", asked)
    found = state.memory().fact_review.list_merged(asked.whose, limit=SIZE, cursor=pages.cursor)
    with heading:
        st.title(_title(found.total))
    if not found.fused:
        _show_empty(narrow=asked.narrow)
        return
    for fused in found.fused:
        with st.container(border=True):
            _show_merge(fused)
    pages.footer(len(found.fused), found.total, found.cursor, size=SIZE)


def _title(total: int) -> str:
    if not total:
        return "No fact was merged with another"
    was = "was" if total == 1 else "were"
    return f"{format_count(total, 'fact')} {was} merged or replaced"


def _show_merge(fused: MergedFact) -> None:
    word, colour, before, after = OUTCOMES[fused.fate]
    key = str(fused.seq)
    now = state.memory().db.clock()
    show(
        part(
            "div",
            "line",
            part("span", f"chip {colour}", word),
            *owner_parts(scope_of(fused.fact), state.project()),
            part("span", "faint", f"{fused.actor} \u00b7 {readable(fused.cause)}"),
            part("time", "faint", ago(fused.at, now), title=exact(fused.at)),
        ),
        key=f"fused_{key}",
    )
    left, right = st.columns(2, gap="medium")
    with left:
        show(part("h3", "", before), part("div", "quote", fused.former), key=f"former_{key}")
    with right:
        show(part("h3", "", after), *_successor_parts(fused), key=f"heir_{key}")
    _undo_controls(fused)


def _successor_parts(fused: MergedFact) -> list[Part]:
    heir = fused.successor
    if heir is None:
        return [part("div", "faint", "It is gone.")]
    said: list[Part] = [part("div", "quote", fused.became or heir.content)]
    if fused.became and fused.became != heir.content:
        said += [part("h3", "", "Changed since then to"), part("div", "quote", heir.content)]
    if heir.status != "active":
        said.append(part("div", "faint", f"which is itself {heir.status} by now"))
    return said


def _undo_controls(fused: MergedFact) -> None:
    """Offer to undo the batch of the merge, with a preview."""
    key = str(fused.seq)
    if st.session_state.get(REQUESTED) != fused.seq:
        if st.button("Undo", key=f"fused_ask_{key}"):
            st.session_state[REQUESTED] = fused.seq
            st.rerun()
        return
    undo.show_confirmation(
        f"fused_{key}",
        f"Merge undone: {fused.former}",
        close=lambda: st.session_state.pop(REQUESTED),
        batch_id=fused.batch_id,
    )


def _show_empty(*, narrow: bool) -> None:
    if narrow:
        st.write("No fact of this scope was merged or replaced. Pick all users to see others.")
        return
    st.write(
        "What is remembered is compared with what is known of the same user, agent and session. "
        "If it says more, the older fact takes its words; if it contradicts one, that one gives "
        "way. Each such pair stands here, with the way back. DEDUP_STRATEGY says how it is done, "
        "and with LLM_PROVIDER a model writes one sentence out of two."
    )
