from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.rules.graph.entity_linking import (
    NamedEntities,
    find_name_candidates,
    mentions_user,
    remove_names,
    select_names,
    single_named_entity,
)

KNOWN = {
    "ann": NamedEntities(frozenset({"e1"}), is_person=True),
    "ann lee": NamedEntities(frozenset({"e1"}), is_person=True),
    "york": NamedEntities(frozenset({"e2"})),
    "new york": NamedEntities(frozenset({"e3"})),
    "c++": NamedEntities(frozenset({"e4"})),
    "james": NamedEntities(frozenset({"e5"}), is_person=True),
    "部署方案": NamedEntities(frozenset({"e6"})),
}


def said(query):
    return select_names(find_name_candidates(query), KNOWN)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What does Ann like?", ["ann"]),
        ("ANN'S cat", ["ann"]),
        ("Ann Lee's cat", ["ann lee"]),
        ("flights to New York, soon", ["new york"]),
        ("(york)", ["york"]),
        ("why C++?", ["c++"]),
        ("James' tea and James's cup", ["james", "james"]),
        ("今天讨论了部署方案", ["部署方案"]),
        ("Annette likes tea", []),
        ("", []),
    ],
)
def test_names_are_recognized_in_any_context(query, names):
    assert names == [span.folded for span in said(query)]


def test_query_with_one_entity_is_detected():
    both, one, none = said("Ann and James"), said("Ann, that is Ann Lee"), said("missing")
    user = frozenset({"u"})

    assert frozenset() == single_named_entity(both, KNOWN)
    assert frozenset({"e1"}) == single_named_entity(one, KNOWN)
    assert user == single_named_entity(none, KNOWN, user)
    assert frozenset() == single_named_entity(one, KNOWN, user)


@pytest.mark.parametrize(
    ("query", "without", "in_first_person"),
    [
        ("What does Ann like?", "What does like?", "What does I like?"),
        ("Ann's cat", "cat", "my cat"),
        ("flying to New York", "flying to", "flying to"),
        ("Ann", "Ann", "Ann"),
        ("Who is Ann?", "Who is Ann?", "Who is Ann?"),
    ],
)
def test_names_are_removed_from_embedded_text(query, without, in_first_person):
    assert without == remove_names(query, said(query))
    assert in_first_person == remove_names(query, said(query), people=["ann"])


@pytest.mark.parametrize(
    ("query", "of_the_user"),
    [("my tea", True), ("Did I say so?", True), ("I've been", True), ("Miami in time", False)],
)
def test_i_and_my_refer_to_the_user(query, of_the_user):
    assert of_the_user == mentions_user(query)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_name_detection_accepts_any_query(query):
    spans = find_name_candidates(query)

    assert all(0 <= span.start < span.end <= len(query) for span in spans)
    remove_names(query, said(query), people=["ann"])
