"""PrecisionMemBench's rules, on beliefs made up here."""

from __future__ import annotations

import pytest

from benchmarks.datasets import SHIPPED
from benchmarks.precision import Belief, Case, answer, beliefs, cases, means, run, score


def belief(id: str, **given) -> Belief:
    whole = {
        "user": "ana",
        "type": "preference",
        "name": id,
        "aliases": (),
        "content": id,
        "scopes": ("code",),
        "is_pinned": False,
        "superseded_by": "",
        "is_resolved": False,
        "participants": (),
        **given,
    }
    return Belief(id=id, **whole)


def case(**given) -> Case:
    whole = {
        "id": "c",
        "category": "k",
        "user": "ana",
        "scopes": ("code",),
        "query": "what?",
        "budget": 20,
        "due": frozenset(),
        "forbidden": frozenset(),
        **given,
    }
    return Case(**whole)


@pytest.mark.parametrize(
    ("due", "returned", "precision", "recall"),
    [
        ("ab", "ab", 1.0, 1.0),
        ("ab", "ax", 0.5, 0.5),
        ("a", "", 0.0, 0.0),
        ("", "x", 0.0, None),
        ("", "", None, None),
    ],
)
def test_noise_and_abstention_scores_match_the_paper(due, returned, precision, recall):
    outcome = score(case(due=frozenset(due)), list(returned))

    assert (precision, recall) == (outcome.precision, outcome.recall)


def test_pinned_facts_are_excluded_but_use_the_budget():
    by_id = {b.id: b for b in (belief("pin", is_pinned=True), belief("a"), belief("b"))}

    got = answer(case(budget=2), by_id, lambda *asked: ["pin", "a", "b"])

    assert ["a"] == got


def test_results_of_several_scopes_alternate():
    by_id = {b.id: b for b in map(belief, "abc")}
    found = {"code": ["a", "b"], "writing": ["c", "a"]}

    got = answer(
        case(scopes=("code", "writing")), by_id, lambda user, scope, query, limit: found[scope]
    )

    assert ["a", "c", "b"] == got


def test_relations_add_their_participants_in_scope():
    known = [
        belief("r", type="relation", participants=("a", "q", "w")),
        belief("a"),
        belief("q", type="open_question"),
        belief("w", scopes=("writing",)),
    ]

    got = answer(case(), {b.id: b for b in known}, lambda *asked: ["r"])

    assert ["r", "a"] == got


def test_empty_query_calls_no_search():
    assert [] == answer(case(query="  "), {}, lambda *asked: ["a"])
    assert [] == answer(case(budget=0), {}, lambda *asked: ["a"])


def test_a_perfect_search_reaches_one():
    known = [belief("a"), belief("b")]
    asked = [case(due=frozenset("a")), case(due=frozenset())]

    answers = {"what?": ["a"]}
    outcomes = run(known, asked[:1], lambda user, scope, query, limit: answers[query])

    assert {"precision": 1.0, "recall": 1.0, "exact": 1.0} == means(outcomes)


def test_bundled_cases_reference_existing_beliefs():
    known = {b.id for b in beliefs(SHIPPED)}
    asked = cases(SHIPPED)

    assert (35, 77) == (len(known), len(asked))
    assert all(one.due | one.forbidden <= known for one in asked)
