"""Plain search over a few rows."""

from __future__ import annotations

import numpy as np

from benchmarks import baselines
from benchmarks.datasets import Question, Row

ROWS = [
    Row("a", "The pear tree stands by the well.", "Ana"),
    Row("b", "We painted the boat.", "Bo"),
    Row("c", "A pear, a pear!", "Bo"),
]


def asked(text: str) -> Question:
    return Question("q", text, "plain", frozenset())


def test_bm25_uses_content_words_only():
    assert ["c", "a"] == baselines.bm25(ROWS, [asked("Where is the pear?")])["q"]
    assert [] == baselines.bm25(ROWS, [asked("where is the?")])["q"]


def test_cosine_ranks_every_row():
    vectors = np.eye(3, dtype=np.float32)
    question = np.array([[0.1, 0.9, 0.3]], dtype=np.float32)

    assert ["b", "c", "a"] == baselines.cosine(ROWS, [asked("?")], vectors, question)["q"]


def test_rrf_prefers_items_in_both_lists():
    joined = baselines.rrf({"q": ["a", "b"]}, {"q": ["c", "b"]})

    assert ["b", "a", "c"] == joined["q"]
