"""
A chance word does not outweigh the meaning of a question, and a telling one still does.

On facts that the repository carries, with the packaged model; the margins leave room
for another processor's rounding, not for a worse ranking.
"""

from __future__ import annotations

import json

import pytest

from benchmarks import relevance
from benchmarks.facts import ONE_WORD, ask, memory_of, suites
from memory_core.model.search.recipe import Recipe
from memory_core.search.models import choose_engine

SUITES = suites()


@pytest.fixture(scope="module")
def embedder():
    return choose_engine("all-MiniLM-L6-v2", "onnx")


@pytest.fixture(scope="module")
def memory_of_one_set(embedder, tmp_path_factory):
    facts, _ = SUITES["a person"]
    memory = memory_of(tmp_path_factory.mktemp("one") / "memory.db", facts, embedder)
    yield memory
    memory.close()


@pytest.fixture(scope="module")
def memory_of_all(embedder, tmp_path_factory):
    facts, _ = SUITES[ONE_WORD]
    memory = memory_of(tmp_path_factory.mktemp("all") / "memory.db", facts, embedder)
    yield memory
    memory.close()


def test_paraphrased_questions_find_their_facts(memory_of_one_set):
    _, questions = SUITES["a person"]

    found = ask(memory_of_one_set, questions, Recipe())
    whole_share = ask(memory_of_one_set, questions, Recipe(lexical_least=1))

    assert found["first"] >= 20
    assert found["among three"] >= 26
    assert found["first"] - whole_share["first"] >= 2


def test_one_distinctive_word_finds_its_fact(memory_of_all):
    _, questions = SUITES[ONE_WORD]

    found = ask(memory_of_all, questions, Recipe())

    assert found["first"] >= 28


def test_explanation_contains_the_full_text_trust(memory_of_one_set):
    asked = {"kinds": ["fact"], "user_id": "some-user", "limit": 1, "explain": True}

    chance = memory_of_one_set.search.search_memory("which database engine runs in prod?", **asked)
    telling = memory_of_one_set.search.search_memory("PostgreSQL in production", **asked)

    assert 0.5 == pytest.approx(chance.hits[0].explain.lexical_trust, abs=0.01)
    assert 1.0 == telling.hits[0].explain.lexical_trust


def test_full_text_keeps_full_weight_for_long_rows(memory_of_one_set):
    asked = {"user_id": "some-user", "limit": 1, "explain": True}

    found = memory_of_one_set.search.search_memory("which database engine runs in prod?", **asked)

    assert 1.0 == found.hits[0].explain.lexical_trust


def test_the_floor_keeps_facts_and_silences_most_unrelated_questions(memory_of_one_set):
    unrelated = json.loads(relevance.UNRELATED.read_text("utf-8"))["questions"]
    _, related = SUITES["a person"]
    scope = {"kinds": ["fact"], "user_id": "some-user"}

    def kept(question, least):
        found = memory_of_one_set.search.search_memory(question, min_relevance=least, **scope)
        return [hit.id for hit in found.hits]

    silent = sum(not kept(question, 0.1) for question in unrelated)
    lost = sum(kept(question, 0)[:1] != kept(question, 0.1)[:1] for _, question in related)

    # In other words, a fact is hardly nearer to its question than to an unrelated one.
    assert silent >= 0.55 * len(unrelated)
    assert lost <= 1
