"""Review of the librarian's suggestions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from memory_core import Memory, MemoryCoreError, NotFoundError
from memory_core.model.graph.librarian import Suggestion, SuggestionPage, SuggestionSide

from .. import state
from ..components.colours import SHAPES, Theme, mark
from ..components.elements import Part, part, show
from ..components.formatting import format_count, number, readable
from ..components.paging import offset_of, pager
from ..graph.card import card_parts
from ..saving import undo_offer
from ..saving.apply import apply_batch

SIZE = 10
KINDS = {
    "": "all",
    "duplicate": "duplicates",
    "contradiction": "contradictions",
    "relation": "relations",
}
MOST_AT_ONCE = 500
ASKS = {"duplicate": "duplicate?", "contradiction": "contradiction?", "relation": "relation?"}
COLOUR = {"duplicate": "amber", "contradiction": "red", "relation": "blue"}
NOT = {
    "duplicate": "Not a duplicate",
    "contradiction": "No contradiction",
    "relation": "Reject",
}
GOES = {
    "duplicate": "The other fact is deleted.",
    "contradiction": "The other fact is marked as superseded by this one.",
}
MERGED = "Names, properties, facts and relations of the other move to this one. Compare first."
Keep = Literal["", "first", "second"]


def show_review(project: str) -> None:
    """Show the open suggestions of a project, most similar first, with their actions."""
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = st.segmented_control(
            "Kind",
            list(KINDS),
            default="",
            required=True,
            format_func=lambda each: KINDS[each].capitalize(),
            label_visibility="collapsed",
            key="review_kind",
        )
        both = st.container(width="content")
    offset = offset_of("review", project, kind)
    page = state.memory().suggestions.list_suggestions(
        project_id=project, kind=kind, limit=SIZE, offset=offset
    )
    if page.total > 1:
        with both:
            _decide_all_popover(project, kind, page)
    if not page.total:
        st.write(
            "No open suggestions of this kind. Rejected suggestions are not made again; accepted "
            "ones can be undone from the cycle or the timeline."
        )
    for each in page.suggestions:
        with st.container(border=True):
            _suggestion(each)
    pager("review", len(page.suggestions), page.total, size=SIZE)


def suggestion_parts(each: Suggestion, theme: Theme) -> list[Part]:
    """Return a suggestion: question, pair, similarity and reason."""
    relation = readable(each.relation_type) if each.relation_type else ""
    head = part(
        "div",
        "row",
        part(
            "div",
            "line",
            part("span", f"chip {COLOUR[each.kind]}", ASKS[each.kind]),
            *_heading(each, relation, theme),
        ),
        part("span", "number strong", f"{each.similarity:.2f}", title="similarity, 0 to 1"),
    )
    why = " \u00b7 ".join(filter(None, (each.project_id, each.reason and f"reason: {each.reason}")))
    if each.first.observation_id or each.second.observation_id:
        facts = [
            part("div", "check", part("div", "faint", word), part("div", "quote", side.content))
            for word, side in (("left", each.first), ("right", each.second))
        ]
        return [head, part("div", "checks", *facts), part("p", "faint", why)]
    return [head, part("p", "faint", why)]


def _heading(each: Suggestion, relation: str, theme: Theme) -> list[Part]:
    if each.first.observation_id:
        return [_side(each.first, theme), part("span", "faint", "two of its facts")]
    between = f"{relation}?" if relation else "~"
    return [_side(each.first, theme), part("span", "faint", between), _side(each.second, theme)]


def _side(side: SuggestionSide, theme: Theme) -> Part:
    colour, shape = mark(side.node_type, theme)
    return part(
        "span",
        "",
        part("span", "", f"{SHAPES[shape]} ", colour=colour, title=side.node_type or "gone"),
        part("span", "strong", side.name),
        part("span", "faint", f" {side.node_type}"),
    )


def _suggestion(each: Suggestion) -> None:
    show(*suggestion_parts(each, state.theme()), key=f"suggestion_{each.id}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if each.kind == "relation":
            _relation(each)
        else:
            _keep_buttons(each)
        if st.button(NOT[each.kind], key=f"reject_{each.id}", type="tertiary"):
            _decide(
                "The suggestion was not rejected.",
                "A suggestion was rejected and will not return.",
                lambda memory: memory.suggestions.reject_suggestion(
                    each.id, project_id=each.project_id
                ),
            )
    if st.session_state.get("compared") == each.id:
        _comparison(each)


def _relation(each: Suggestion) -> None:
    names = [kind.name for kind in state.memory().ontology.relation_types]
    if each.relation_type not in names:
        names.insert(0, each.relation_type)
    relation_type = st.selectbox(
        "Relation",
        names,
        index=names.index(each.relation_type),
        format_func=readable,
        key=f"type_{each.id}",
        width=200,
        label_visibility="collapsed",
    )
    if st.button("Accept", key=f"accept_{each.id}", type="primary"):
        _accept(each, relation_type=str(relation_type))


def _keep_buttons(each: Suggestion) -> None:
    """Show the buttons to keep one of two facts, or to merge one entity into the other."""
    facts = bool(each.first.observation_id)
    labels: tuple[tuple[str, Keep], ...] = (
        ("Keep left" if facts else "Merge into first", "first"),
        ("Keep right" if facts else "Merge into second", "second"),
    )
    for label, keep in labels:
        if st.button(label, key=f"{keep}_{each.id}", help=GOES[each.kind] if facts else MERGED):
            _accept(each, keep=keep)
    if not facts:
        compared = st.session_state.get("compared") == each.id
        if st.button("Close" if compared else "Compare", key=f"compare_{each.id}"):
            st.session_state["compared"] = "" if compared else each.id
            st.rerun()


def _comparison(each: Suggestion) -> None:
    memory = state.memory()
    columns = st.columns(2, gap="large")
    for column, side, other in zip(
        columns, (each.first, each.second), ("second", "first"), strict=True
    ):
        with column:
            try:
                card = memory.atlas.card(side.id, project_id=each.project_id, facts=8, edges=12)
            except NotFoundError as error:
                state.show_error(
                    "This entity no longer exists; the next cycle withdraws the suggestion.", error
                )
                continue
            facts = format_count(card.observation_count, "observation")
            relations = format_count(card.relation_count, "relation")
            moved = f"Merging it into the {other} moves {facts} and {relations}."
            now = memory.db.clock()
            parts = [*card_parts(card, now, state.theme()), part("p", "faint", moved)]
            show(*parts, key=f"card_{each.id}_{other}")


def _accept(each: Suggestion, *, keep: Keep = "", relation_type: str = "") -> None:
    said = {
        "relation": "A relation was created.",
        "duplicate": "The duplicates were merged.",
        "contradiction": "One fact was kept, the other was marked as superseded.",
    }
    _decide(
        "The suggestion was not accepted.",
        said[each.kind],
        lambda memory: memory.suggestions.accept_suggestion(
            each.id, project_id=each.project_id, keep=keep, relation_type=relation_type
        ),
    )


def _decide(failing: str, said: str, act: Callable[[Memory], object]) -> None:
    batch_id = apply_batch(failing, act)
    if batch_id:
        undo_offer.report_done(said, batch_id)


def _decide_all_popover(project: str, kind: str, page: SuggestionPage) -> None:
    """Accept or dismiss all matching suggestions as one batch, after a description."""
    with st.popover(f"Decide all {number(page.total)}"):
        many = format_count(page.total, "suggestion")
        st.write(
            f"Accepting {many} creates the relations, merges duplicates into the first entity and "
            "keeps the newer of two facts. Dismissed suggestions are not made again. Either is "
            "one batch with one Undo."
        )
        with st.container(horizontal=True):
            if st.button("Accept all", key="accept_all"):
                _decide_all(project, kind, "accepted")
            if st.button("Dismiss all", key="dismiss_all"):
                _decide_all(project, kind, "dismissed")


def _decide_all(project: str, kind: str, word: Literal["accepted", "dismissed"]) -> None:
    counts = {"decided": 0, "skipped": 0}

    def act(memory: Memory) -> None:
        found = memory.suggestions.list_suggestions(
            project_id=project, kind=kind, limit=MOST_AT_ONCE
        )
        decide = (
            memory.suggestions.accept_suggestion
            if word == "accepted"
            else memory.suggestions.reject_suggestion
        )
        for each in found.suggestions:
            try:
                decide(each.id, project_id=each.project_id)
                counts["decided"] += 1
            except MemoryCoreError:
                # An earlier decision may have merged this entity; continue with the others.
                counts["skipped"] += 1

    with st.spinner("Processing"):
        batch_id = apply_batch("Not all suggestions were processed.", act)
    if batch_id:
        was = format_count(counts["decided"], "suggestion was", "suggestions were")
        said = f"{was} {word}."
        if counts["skipped"]:
            said += (
                f" {number(counts['skipped'])} were skipped: their entities or facts have changed."
            )
        undo_offer.report_done(said, batch_id)
