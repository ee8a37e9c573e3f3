from __future__ import annotations

import numpy as np
import pytest
from support import hashed_vectors
from vector_rows import OTHER, WORDS, drop, embed_all, piece, put

from memory_core.errors import DimensionMismatchError
from memory_core.storage.database import Database
from memory_core.storage.search import embeddings
from memory_core.storage.search.full_text import digest


@pytest.fixture
def db(tmp_path, clock):
    opened = Database(tmp_path / "memory.db", clock)
    yield opened
    opened.close()


def standing(db):
    with db.read() as connection:
        return embeddings.standing(connection)


def stored(db, text, identity=WORDS):
    (vector,) = hashed_vectors([text], identity.dimension)
    with db.note() as connection:
        embeddings.store_vectors(connection, identity, items=[(digest(text), vector)])


def test_passages_are_queued_until_embedded(db):
    with db.note() as connection:
        put(connection, 1, "first")
        put(connection, 2, "second")
        waiting = embeddings.take_unembedded(connection, 10)
    pending = standing(db).unembedded
    embed_all(db)

    assert ["second", "first"] == [item.text for item in waiting]
    assert 2 == pending
    assert (0, 2) == (standing(db).unembedded, standing(db).indexed)


def test_passages_are_ranges_of_their_text(db):
    with db.note() as connection:
        put(connection, 1, "今天 🙂 café and more")
        connection.execute("delete from pieces")
        connection.execute(
            "insert into pieces values (:id, 5, 4, :digest)", {"id": piece(1) + 1, "digest": b"x"}
        )
        (waiting,) = embeddings.take_unembedded(connection, 10)

    assert "café" == waiting.text


def test_equal_texts_are_embedded_once(db):
    with db.note() as connection:
        put(connection, 1, "the same words")
    embed_all(db)
    with db.note() as connection:
        put(connection, 2, "the same words")

    assert (0, 2) == (standing(db).unembedded, standing(db).indexed)


def test_existing_vectors_complete_pending_passages(db):
    with db.note() as connection:
        put(connection, 1, "known")
    embed_all(db)
    with db.note() as connection:
        connection.execute("insert into unembedded values (:id)", {"id": piece(1)})
    before = standing(db).position
    stored(db, "known")

    assert 0 == standing(db).unembedded
    assert before + 1 == standing(db).position


def test_vectors_of_deleted_texts_are_not_stored(db):
    embed_all(db)
    stored(db, "deleted meanwhile")

    with db.read() as connection:
        assert 0 == connection.execute("select count(*) from embeddings").get


def test_a_vector_of_another_length_is_refused(db):
    embed_all(db)
    with pytest.raises(DimensionMismatchError, match="64 numbers, not 3"), db.note() as connection:
        embeddings.store_vectors(
            connection, WORDS, items=[(b"digest", np.ones(3, dtype=np.float32))]
        )

    assert 0 == standing(db).indexed


def test_vectors_of_two_models_are_never_mixed(db):
    with db.note() as connection:
        put(connection, 1, "first")
    embed_all(db)

    with pytest.raises(DimensionMismatchError, match=r"words/1.*other/1.*reindex"):
        embed_all(db, OTHER)
    with pytest.raises(DimensionMismatchError):
        stored(db, "first", OTHER)
    assert "words/1" == standing(db).model


def test_store_without_vectors_accepts_any_model(db):
    embed_all(db)
    embed_all(db, OTHER)

    assert ("other/1", 32) == (standing(db).model, standing(db).dimension)


def test_reindex_switches_models_and_keeps_former_vectors(db):
    with db.note() as connection:
        put(connection, 1, "first")
        put(connection, 2, "second")
    embed_all(db)
    with db.note() as connection:
        embeddings.reindex(connection, OTHER)
    switched = standing(db)
    with db.note() as connection:
        embeddings.reindex(connection, WORDS)
    back = standing(db)

    assert ("other/1", 2) == (switched.model, switched.unembedded)
    assert ("words/1", 0) == (back.model, back.unembedded)
    assert back.floor > switched.floor


def test_unused_vectors_are_pruned(db):
    with db.note() as connection:
        put(connection, 1, "kept")
        put(connection, 2, "deleted")
    embed_all(db)
    with db.note() as connection:
        drop(connection, 2)
        pruned = embeddings.prune_vectors(connection)

    assert 1 == pruned
    with db.read() as connection:
        kept = embeddings.vectors_of(connection, "words/1", np.array([piece(1), piece(2)], "u8"))
        assert [piece(1)] == kept.ids.tolist()


def test_the_log_position_never_goes_back(db):
    with db.note() as connection:
        put(connection, 1, "first")
    embed_all(db)
    before = standing(db).position
    with db.note() as connection:
        embeddings.prune_log(connection, before + 100)

    assert (before, before) == (standing(db).position, standing(db).floor)


def test_stored_vectors_come_back_to_within_float16(db):
    with db.note() as connection:
        for number in range(1, 9):
            put(connection, number, f"text number {number}")
    embed_all(db)
    asked = np.array([piece(n) for n in (7, 2, 99, 5)], dtype=np.uint64)
    with db.read() as connection:
        found = embeddings.vectors_of(connection, "words/1", asked)

    assert [piece(2), piece(5), piece(7)] == found.ids.tolist()
    expected = hashed_vectors([f"text number {n}" for n in (2, 5, 7)])
    np.testing.assert_allclose(expected, found.matrix, atol=1e-3)


def test_requeue_repairs_queue_and_counters(db):
    with db.note() as connection:
        put(connection, 1, "embedded")
    embed_all(db)
    with db.note() as connection:
        put(connection, 2, "waiting")
        connection.execute("update vector_state set pieces = 77, unembedded = 5")
        connection.execute("delete from unembedded")
        embeddings.requeue(connection)

    assert (2, 1) == (standing(db).pieces, standing(db).unembedded)
