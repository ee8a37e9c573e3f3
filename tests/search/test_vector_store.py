from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.search.vector_store import best_kind, make_store

KINDS = ["exact", "turbovec"]


def rows(ids, dimension=16):
    """Return the ids as an array, and for each a unit vector that depends on it alone."""
    out = np.zeros((len(ids), dimension), dtype=np.float32)
    for row, id in enumerate(ids):
        out[row] = np.random.default_rng(id).standard_normal(dimension)
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    return np.array(ids, dtype=np.uint64), (out / lengths).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.booleans(), st.sets(st.integers(1, 40), min_size=1, max_size=12)),
        max_size=12,
    )
)
def test_a_store_holds_what_was_added_and_not_removed(kind, steps):
    """
    After any additions and removals, each id is found by its own vector, and no other is there;
    the same holds for a store brought back from bytes.
    """
    store, held = make_store(kind, 16), set()
    for adding, ids in steps:
        new = sorted(ids - held) if adding else sorted(ids)
        if adding:
            store.add(*rows(new))
            held |= ids
        else:
            store.remove(rows(new)[0])
            held -= ids

    for one in (store, make_store(kind, 16, store.to_bytes())):
        assert len(held) == len(one)
        found, _ = one.search(rows([1])[1][0], 100, allowed=None)
        assert held == set(found.tolist())
        for id in held:
            nearest, _ = one.search(rows([id])[1][0], 1, allowed=None)
            assert [id] == nearest.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_allowed_may_name_what_is_not_there(kind):
    """
    Unknown ids in the list of what is allowed are passed over.
    """
    store = make_store(kind, 16)
    store.add(*rows([1, 2, 3]))
    query = rows([2])[1][0]

    found, _ = store.search(query, 5, allowed=np.array([2, 3, 99], dtype=np.uint64))
    assert [2, 3] == sorted(found.tolist())
    none, _ = store.search(query, 5, allowed=np.array([98, 99], dtype=np.uint64))
    assert [] == none.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_cannot_be_in_a_store_twice(kind):
    """
    Adding an id again is an error, which the index answers with a rebuild.
    """
    store = make_store(kind, 16)
    store.add(*rows([1, 2]))

    with pytest.raises(ValueError):
        store.add(*rows([2]))


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_of_another_dimension_are_refused(kind):
    """
    A store of 16 numbers a vector cannot be read as one of 24.
    """
    store = make_store(kind, 16)
    store.add(*rows([1, 2]))

    with pytest.raises(ValueError):
        make_store(kind, 24, store.to_bytes())


def test_a_dimension_that_turbovec_does_not_take_is_compared_in_full():
    """
    Turbovec takes multiples of eight.
    """
    assert "turbovec" == best_kind(5000, 16, 3000)
    assert "exact" == best_kind(5000, 17, 3000)
    assert "exact" == best_kind(2999, 16, 3000)
