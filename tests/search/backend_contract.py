"""The contract that every vector backend is tested against."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import hashed_vectors
from vector_rows import OTHER, WORDS, drop, embed_all, piece, put, put_vectors

from memory_core.errors import DimensionMismatchError
from memory_core.model.search.vectors import ModelIdentity
from memory_core.search.backends.factory import make_backend
from memory_core.search.index import VectorIndex
from memory_core.storage.database import Database
from memory_core.storage.search import embeddings

CLUSTERED = ModelIdentity(model="clustered/1", dimension=64, max_tokens=1)
# Ids of pieces are that far apart: beyond 32 bits, where a backend may go wrong.
APART = 1 << 24


def rows(numbers, dimension=16):
    """Return ids far apart, and for each a unit vector that depends on it alone."""
    out = np.zeros((len(numbers), dimension), dtype=np.float32)
    for row, number in enumerate(numbers):
        out[row] = np.random.default_rng(number).standard_normal(dimension)
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    return np.array(numbers, dtype=np.uint64) * APART, (out / lengths).astype(np.float32)


def numbers_of(ids):
    return [id // APART for id in ids.tolist()]


def clustered(count, seed=7):
    """Return unit vectors around a few dozen centres, as texts of a few subjects are."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(1).standard_normal((40, 64))
    out = centres[random.integers(40, size=count)] + 0.5 * random.standard_normal((count, 64))
    return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def db(tmp_path, clock):
    # In a folder that is not there yet: it is made with the file.
    opened = Database(tmp_path / "memory.db", clock)
    yield opened
    opened.close()


class OfVectors:
    """A backend by itself."""

    kind: str

    # Each subclass runs it, on a backend of its own: there is nothing to share.
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    )
    @given(
        steps=st.lists(
            st.tuples(st.booleans(), st.sets(st.integers(1, 40), min_size=1, max_size=12)),
            max_size=12,
        )
    )
    def test_it_holds_what_was_added_and_not_removed(self, steps):
        backend, held = make_backend(self.kind, 16), set()
        for adding, numbers in steps:
            new = sorted(numbers - held) if adding else sorted(numbers)
            if adding:
                backend.add(*rows(new))
                held |= numbers
            else:
                backend.remove(rows(new)[0])
                held -= numbers

        for one in (backend, make_backend(self.kind, 16, backend.to_bytes())):
            assert len(held) == len(one)
            found, _ = one.search(rows([1])[1][0], 100, allowed=None)
            assert held == set(numbers_of(found))
            for number in held:
                nearest, _ = one.search(rows([number])[1][0], 1, allowed=None)
                assert [number] == numbers_of(nearest)

    def test_what_was_brought_back_goes_on(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows([1, 2, 3]))
        again = make_backend(self.kind, 16, backend.to_bytes())
        again.remove(rows([3])[0])
        again.add(*rows([4]))

        found, _ = again.search(rows([4])[1][0], 9, allowed=None)
        assert (4, [1, 2, 4]) == (numbers_of(found)[0], sorted(numbers_of(found)))

    def test_a_replaced_vector_is_found_where_it_is_now(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows([1, 2]))
        backend.remove(rows([1])[0])
        backend.add(rows([1])[0], rows([9])[1])

        found, scores = backend.search(rows([9])[1][0], 1, allowed=None)
        assert [1] == numbers_of(found)
        assert 1.0 == pytest.approx(float(scores[0]), abs=0.05)

    def test_what_is_allowed_may_name_what_is_not_there(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows([1, 2, 3]))
        query = rows([2])[1][0]

        found, _ = backend.search(query, 5, allowed=rows([2, 3, 99])[0])
        assert [2, 3] == sorted(numbers_of(found))
        none, _ = backend.search(query, 5, allowed=rows([98, 99])[0])
        assert [] == none.tolist()

    def test_nothing_but_what_is_allowed_is_found(self):
        backend = make_backend(self.kind, 64)
        vectors = clustered(1000)
        ids = np.arange(1, 1001, dtype=np.uint64) * APART
        backend.add(ids, vectors)
        allowed = ids[::3]

        found, _ = backend.search(vectors[500], 400, allowed=allowed)
        assert set(allowed.tolist()) == set(found.tolist())

    def test_an_empty_backend_or_list_finds_nothing(self):
        backend = make_backend(self.kind, 16)
        query = rows([1])[1][0]
        before = [backend.search(query, 5, allowed=allowed) for allowed in (None, rows([1])[0])]
        backend.add(*rows([1]))

        assert [[], []] == [ids.tolist() for ids, _ in before]
        assert [] == backend.search(query, 5, allowed=rows([])[0])[0].tolist()
        assert 0 == len(make_backend(self.kind, 16, make_backend(self.kind, 16).to_bytes()))

    def test_more_may_be_asked_for_than_a_backend_gives_at_once(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows(range(1, 40)))

        assert 39 == len(backend.search(rows([1])[1][0], 10_000, allowed=None)[0])

    def test_an_id_cannot_be_in_it_twice(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows([1, 2]))

        with pytest.raises(ValueError):
            backend.add(*rows([2]))

    def test_a_vector_of_the_wrong_length_is_refused(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows([1]))

        with pytest.raises(ValueError):
            backend.add(*rows([2], dimension=24))

    def test_bytes_of_another_dimension_are_refused(self):
        backend = make_backend(self.kind, 16)
        backend.add(*rows([1, 2]))

        with pytest.raises(ValueError):
            make_backend(self.kind, 24, backend.to_bytes())


class OfAnIndex:
    """A backend in an index that follows a store."""

    kind: str

    def index(self, identity=WORDS, path=None, **settings):
        wanted = {"backend": self.kind, "exact_below": 1} | settings
        return VectorIndex(lambda: identity, path, **wanted)

    def test_what_changed_is_found_as_it_is_now(self, db):
        index = self.index()
        write(db, "red apples", "green pears", "blue plums")
        first = found(db, index, "red apples")
        with db.note() as connection:
            put(connection, 1, "yellow bananas")
            drop(connection, 2)
        embed_all(db)
        second = found(db, index, "red apples")

        assert 1 == ids(first)[0]
        assert 1.0 == pytest.approx(first[0][1], abs=1e-3)
        assert ([1, 3], True) == (sorted(ids(second)), second[0][1] < 0.9)
        assert (1, self.kind) == (index.status().rebuilds, index.status().kind)

    def test_it_is_built_anew_from_the_store_alone(self, db):
        index = self.index()
        write(db, "red apples", "green pears")
        before = found(db, index, "green pears")
        with db.note() as connection:
            embeddings.requeue(connection)

        assert before == found(db, index, "green pears") == found(db, self.index(), "green pears")
        assert 2 == index.status().rebuilds

    def test_it_is_level_with_the_log_after_every_write(self, db):
        index = self.index()
        for number in range(1, 6):
            write(db, *(f"text {n}" for n in range(1, 2 * number)))
            found(db, index, "text")
            with db.read() as connection:
                now = embeddings.standing(connection)
            status = index.status()
            assert (now.position, now.indexed) == (status.position, status.vectors)

    def test_another_dimension_or_model_is_refused(self, db):
        write(db, "red apples")

        with pytest.raises(DimensionMismatchError, match=r"words/1.*other/1.*reindex"):
            found(db, self.index(OTHER), "apples")
        with pytest.raises(DimensionMismatchError, match="32 numbers"), db.read() as connection:
            self.index().search(connection, np.ones(32, dtype=np.float32), limit=1)

    def test_answers_are_those_of_the_exact_reference(self, db):
        put_vectors(db, clustered(4000), CLUSTERED)
        index, exact = self.index(CLUSTERED), reference(CLUSTERED)
        everything = np.array([piece(row + 1) for row in range(4000)], dtype=np.uint64)
        some = everything[np.random.default_rng(3).permutation(4000)[:700]]
        with db.read() as connection:
            for query in clustered(10, seed=8):
                for allowed in (None, everything[:60], some, everything[2000:]):
                    ours = index.search(connection, query, limit=10, allowed=allowed)
                    theirs = exact.search(connection, query, limit=10, allowed=allowed)

                    assert ids(theirs) == ids(ours)
                    expected = [score for _, score in theirs]
                    np.testing.assert_allclose(expected, [score for _, score in ours], atol=2e-6)

    @pytest.mark.parametrize("damage", ["none", "a bit", "the end", "another kind"])
    def test_a_snapshot_is_used_when_whole_and_else_built_anew(self, db, tmp_path, damage):
        path = tmp_path / "memory.db-vectors"
        put_vectors(db, clustered(1200), CLUSTERED)
        first = self.index(CLUSTERED, path)
        follow(db, first)
        assert first.save_if_worth()
        hurt(path, damage)
        again = self.index(CLUSTERED, path, backend=other_kind(self.kind, damage))

        with db.read() as connection:
            hit = again.search(connection, clustered(1200)[77], limit=1)
        assert [78] == ids(hit)
        assert (0 if damage == "none" else 1) == again.status().rebuilds


class BackendContract(OfVectors, OfAnIndex):
    """All of it; a subclass names its *kind*."""


def write(db, *texts):
    with db.note() as connection:
        for number, text in enumerate(texts, 1):
            put(connection, number, text)
    embed_all(db)


def found(db, index, text, limit=5):
    (vector,) = hashed_vectors([text])
    with db.read() as connection:
        return index.search(connection, vector, limit=limit)


def follow(db, index):
    with db.read() as connection:
        index.follow(connection)


def reference(identity):
    return VectorIndex(lambda: identity, exact_below=10**9)


def ids(hits):
    return [id >> embeddings.PIECE_BITS for id, _ in hits]


def hurt(path, damage):
    whole = bytearray(path.read_bytes())
    if damage == "a bit":
        whole[len(whole) // 2] ^= 4
    if damage == "the end":
        del whole[-100:]
    path.write_bytes(whole)


def other_kind(kind, damage):
    if damage != "another kind":
        return kind
    return "turbovec" if kind != "turbovec" else "exact"
