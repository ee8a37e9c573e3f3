from __future__ import annotations

import numpy as np
import pytest
from support import hashed_vectors
from vector_rows import OTHER, WORDS, drop, embed_all, piece, put, put_vectors

from memory_core.errors import DimensionMismatchError, IndexUnavailableError
from memory_core.model.search.vectors import ModelIdentity
from memory_core.search.index import VectorIndex
from memory_core.storage.database import Database
from memory_core.storage.search import embeddings

CLUSTERED = ModelIdentity(model="clustered/1", dimension=64, max_tokens=1)


@pytest.fixture
def db(tmp_path, clock):
    opened = Database(tmp_path / "memory.db", clock)
    yield opened
    opened.close()


def index_of(identity=WORDS, **settings):
    return VectorIndex(lambda: identity, **settings)


def found(db, index, text, limit=5, allowed=None):
    (vector,) = hashed_vectors([text])
    with db.read() as connection:
        return index.search(connection, vector, limit=limit, allowed=allowed)


def ids(hits):
    return [id >> embeddings.PIECE_BITS for id, _ in hits]


def write(db, *texts):
    with db.note() as connection:
        for number, text in enumerate(texts, 1):
            put(connection, number, text)


def clustered(count, seed=7):
    """Return unit vectors around a few dozen centres, as texts of a few subjects are."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((40, 64))
    rows = centres[random.integers(40, size=count)] + 0.5 * random.standard_normal((count, 64))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("exact_below", [1, 3000], ids=["turbovec", "exact"])
def test_index_returns_current_vectors_after_changes(db, exact_below):
    index = index_of(exact_below=exact_below)
    write(db, "red apples", "green pears", "blue plums")
    embed_all(db)
    first = found(db, index, "red apples")
    with db.note() as connection:
        put(connection, 1, "yellow bananas")
        drop(connection, 2)
    embed_all(db)
    second = found(db, index, "red apples")

    assert 1 == ids(first)[0]
    assert 1.0 == pytest.approx(first[0][1], abs=1e-3)
    assert [1, 3] == sorted(ids(second))
    assert second[0][1] < 0.9


@pytest.mark.parametrize("exact_below", [1, 3000], ids=["turbovec", "exact"])
def test_index_follows_deletions_without_rebuild(db, exact_below):
    index = index_of(exact_below=exact_below)
    write(db, "red apples", "green pears", "blue plums")
    embed_all(db)
    found(db, index, "red apples")
    with db.note() as connection:
        drop(connection, 2)

    assert [1, 3] == sorted(ids(found(db, index, "red apples")))
    assert 1 == index.status().rebuilds


def test_unembedded_rows_are_skipped(db):
    index = index_of(exact_below=1)
    write(db, "red apples")
    embed_all(db)
    write(db, "red apples", "green apples")
    allowed = np.array([piece(1), piece(2), piece(99)], dtype=np.uint64)

    assert [1] == ids(found(db, index, "apples", allowed=allowed))
    assert 1 == index.status().pending


def test_queue_with_wrong_counters_is_tolerated(db):
    index = index_of(exact_below=1)
    write(db, "red apples", "red apples too")
    embed_all(db)
    allowed = np.array([piece(n) for n in (1, 2, 3, 4)], dtype=np.uint64)
    answers = []
    for number, other in ((3, 4), (4, 3)):
        with db.note() as connection:
            drop(connection, other)
            put(connection, number, f"waiting {number}")
        answers.append(sorted(ids(found(db, index, "apples", allowed=allowed))))

    assert [[1, 2], [1, 2]] == answers


@pytest.mark.parametrize("exact_below", [1, 3000], ids=["turbovec", "exact"])
def test_empty_filter_returns_nothing(db, exact_below):
    write(db, "red apples")
    embed_all(db)
    index = index_of(exact_below=exact_below)

    assert [] == found(db, index, "apples", allowed=np.array([], dtype=np.uint64))
    assert [1] == ids(found(db, index, "apples", allowed=None))


def test_empty_store_returns_no_hits(db):
    assert [] == found(db, index_of(), "anything")


def test_equal_scores_are_ordered_by_id(db):
    write(db, *["the same text"] * 9)
    embed_all(db)
    expected = list(range(1, 10))

    assert expected == ids(found(db, index_of(), "same text", limit=9))
    assert expected == ids(found(db, index_of(exact_below=1), "same text", limit=9))


def test_backends_agree_after_rescoring(db):
    vectors = clustered(5000)
    put_vectors(db, vectors, CLUSTERED)
    turbo, exact = index_of(CLUSTERED), index_of(CLUSTERED, exact_below=10**9)
    random = np.random.default_rng(3)
    all_ids = np.array([piece(row + 1) for row in range(5000)], dtype=np.uint64)
    allowlists = [None, all_ids[:60], all_ids[random.permutation(5000)[:800]], all_ids[2500:]]
    with db.read() as connection:
        for query in clustered(20, seed=8):
            for allowed in allowlists:
                a = turbo.search(connection, query, limit=10, allowed=allowed)
                b = exact.search(connection, query, limit=10, allowed=allowed)

                assert [id for id, _ in b] == [id for id, _ in a]
                np.testing.assert_allclose([s for _, s in b], [s for _, s in a], atol=2e-6)
    assert ("turbovec", "exact") == (turbo.status().kind, exact.status().kind)


def test_backend_depends_on_the_size(db):
    index = index_of(exact_below=10)
    kinds = []
    for count in (9, 12, 8, 2):
        with db.note() as connection:
            for number in range(1, 13):
                drop(connection, number)
            for number in range(1, count + 1):
                put(connection, number, f"text {number}")
        embed_all(db)
        found(db, index, "text")
        kinds.append(index.status().kind)

    assert ["exact", "turbovec", "turbovec", "exact"] == kinds


def test_another_model_is_refused_by_name(db):
    write(db, "red apples")
    embed_all(db)

    with pytest.raises(DimensionMismatchError, match=r"words/1.*other/1"):
        found(db, index_of(OTHER), "apples")
    with pytest.raises(DimensionMismatchError, match="32 numbers"), db.read() as connection:
        index_of().search(connection, np.ones(32, dtype=np.float32), limit=1)


def test_an_index_survives_a_switch_of_the_model_and_back(db):
    write(db, "red apples", "green pears")
    embed_all(db)
    index = index_of()
    found(db, index, "apples")
    with db.note() as connection:
        embeddings.reindex(connection, OTHER)
        embeddings.reindex(connection, WORDS)

    assert [1] == ids(found(db, index, "red apples", limit=1))
    assert 2 == index.status().rebuilds


def test_index_below_the_log_floor_is_rebuilt(db):
    index = index_of()
    write(db, "red apples")
    embed_all(db)
    found(db, index, "apples")
    write(db, "red apples", "green apples")
    embed_all(db)
    with db.note() as connection:
        embeddings.prune_log(connection, 10**9)

    assert [1, 2] == sorted(ids(found(db, index, "apples")))
    assert 2 == index.status().rebuilds


def test_index_that_cannot_apply_the_log_is_rebuilt(db, monkeypatch):
    index = index_of(exact_below=1)
    write(db, "red apples", "green pears")
    embed_all(db)
    found(db, index, "apples")
    write(db, "yellow bananas", "blue plums")
    embed_all(db)

    def broken(*_):
        raise KeyError("half applied")

    monkeypatch.setattr(index._held.backend, "add", broken)

    assert [2] == ids(found(db, index, "blue plums", limit=1))
    assert (2, 2) == (index.status().rebuilds, index.status().vectors)


def test_interrupted_index_is_discarded(db, monkeypatch):
    index = index_of(exact_below=1)
    write(db, "red apples", "green pears")
    embed_all(db)
    found(db, index, "apples")
    write(db, "yellow bananas", "blue plums")
    embed_all(db)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(index._held.backend, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found(db, index, "plums")

    assert "none" == index.status().kind
    assert [2] == ids(found(db, index, "blue plums", limit=1))


def test_index_with_a_wrong_count_is_rebuilt(db):
    index = index_of()
    write(db, "red apples", "green pears")
    embed_all(db)
    found(db, index, "apples")
    index._held.backend.remove(np.array([piece(1)], dtype=np.uint64))

    assert [1] == ids(found(db, index, "red apples", limit=1))


def test_index_ignores_uncommitted_changes(db):
    with pytest.raises(IndexUnavailableError, match="read block"), db.note() as connection:
        index_of().follow(connection)


@pytest.mark.parametrize("exact_below", [1, 3000], ids=["turbovec", "exact"])
def test_older_read_block_does_not_see_newer_vectors(tmp_path, db, exact_below):
    index = index_of(exact_below=exact_below)
    write(db, "red apples")
    embed_all(db)
    other = Database(tmp_path / "memory.db", db.clock)
    (vector,) = hashed_vectors(["green pears"])
    with db.read() as older:
        index.follow(older)
        _change_all_in_a_thread(other, index)
        hits = index.search(older, vector, limit=5)

    assert [1] == ids(hits)
    assert 0.0 == pytest.approx(hits[0][1], abs=0.5)
    assert [(2, 1.0)] == [
        (id >> 24, round(score, 2)) for id, score in found(db, index, "green pears", limit=1)
    ]
    assert 1 == index.status().rebuilds


def _change_all_in_a_thread(db, index):
    write(db, "red apples", "green pears")
    embed_all(db)
    found(db, index, "apples")
    db.close()
