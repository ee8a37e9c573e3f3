"""
Plain search over the same rows, computed in the same run.

BM25 is FTS5's own (porter, unicode61) over a row's text, asked for any of the
question's content words. Speaker, day and neighbours are indexed with weight 0:
they earn no score, but tell FTS5 that a name said in every second row is no
rare word, as in the figures that others publish. Cosine compares the question
with every row; RRF adds 1 / (60 + rank) of the two.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from memory_core.rules.text.query_terms import STOP_WORDS

from .datasets import Question, Row

Vectors = NDArray[np.float32]
Rankings = dict[str, list[str]]

RRF_K = 60

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_ENDING = re.compile(r"'(s|re|ve|ll|d|m|t)$")

_CREATE = (
    "create virtual table rows using fts5(text, speaker, day, near, tokenize='porter unicode61')"
)
_INSERT = "insert into rows(rowid, text, speaker, day, near) values (?, ?, ?, ?, ?)"
_MATCH = "select rowid from rows where rows match ? order by bm25(rows, 1.0, 0.0, 0.0, 0.0), rowid"


def content_words(text: str) -> list[str]:
    """Return the words of a question that BM25 asks for, each once."""
    words = (_ENDING.sub("", word) for word in _WORD.findall(text.lower().replace("\u2019", "'")))
    return list(dict.fromkeys(w for w in words if len(w) > 1 and w not in STOP_WORDS))


def any_of(words: Sequence[str]) -> str:
    """Return the FTS5 query for rows with at least one of the words."""
    return " OR ".join(f'"{word}"' for word in words)


def bm25(rows: Sequence[Row], questions: Sequence[Question]) -> Rankings:
    """Rank the rows that share a content word with the question."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_CREATE)
        connection.executemany(_INSERT, _index_rows(rows))
        rankings = {}
        for question in questions:
            words = content_words(question.text)
            found = connection.execute(_MATCH, (any_of(words),)) if words else ()
            rankings[question.id] = [rows[place].id for (place,) in found]
    return rankings


def cosine(
    rows: Sequence[Row],
    questions: Sequence[Question],
    row_vectors: Vectors,
    question_vectors: Vectors,
) -> Rankings:
    """Rank every row by its similarity to the question."""
    order = np.argsort(-(question_vectors @ row_vectors.T), axis=1, kind="stable")
    return {
        question.id: [rows[place].id for place in places]
        for question, places in zip(questions, order, strict=True)
    }


def rrf(first: Rankings, second: Rankings, *, k: int = RRF_K) -> Rankings:
    """Join two rankings of the same questions by reciprocal rank."""
    joined = {}
    for question, ranking in first.items():
        scores: dict[str, float] = {}
        for ids in (ranking, second[question]):
            for rank, id in enumerate(ids, 1):
                scores[id] = scores.get(id, 0.0) + 1 / (k + rank)
        joined[question] = sorted(scores, key=lambda id: -scores[id])
    return joined


def _index_rows(rows: Sequence[Row]) -> Iterator[tuple[int, str, str, str, str]]:
    for place, row in enumerate(rows):
        near = " ".join(
            rows[other].text
            for other in (place - 1, place + 1)
            if 0 <= other < len(rows) and row.session and rows[other].session == row.session
        )
        day = f"{row.at.day} {row.at:%B %Y}" if row.at else ""
        yield place, row.text, row.speaker, day, near
