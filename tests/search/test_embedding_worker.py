from __future__ import annotations

import threading

import pytest
from support import PATIENCE, hashed_vectors
from vector_rows import OTHER, WORDS, WordEmbedder, embed_all, put

from memory_core.context import track_progress
from memory_core.errors import DimensionMismatchError, EmbeddingError
from memory_core.search import embedding_worker
from memory_core.search.embedder import LazyEmbedder
from memory_core.search.embedding_worker import LEASE, EmbeddingWorker
from memory_core.storage import leases
from memory_core.storage.database import Database
from memory_core.storage.search import embeddings
from memory_core.storage.search.vector_log import PIECES


@pytest.fixture
def db(tmp_path, clock):
    opened = Database(tmp_path / "memory.db", clock)
    yield opened
    opened.close()


def write(db, *texts):
    with db.note() as connection:
        for number, text in enumerate(texts, 1):
            put(connection, number, text)


def standing(db):
    with db.read() as connection:
        return embeddings.standing(connection)


def changes(db):
    with db.read() as connection:
        return connection.execute("select count(*) from changes").get


class Signal(WordEmbedder):
    """An embedder that tells when it is asked."""

    def __init__(self):
        super().__init__()
        self.asked = threading.Event()

    def embed(self, texts):
        self.asked.set()
        return super().embed(texts)


def test_pending_texts_are_embedded_without_log_entries(db):
    embedder = WordEmbedder()
    write(db, "one", "two", "one")
    before = changes(db)
    done = EmbeddingWorker(db, embedder).catch_up()

    assert 3 == done
    assert ["one", "two"] == sorted(embedder.texts)
    assert (0, "words/1") == (standing(db).unembedded, standing(db).model)
    assert before == changes(db)


def test_catching_up_can_be_limited(db):
    write(db, "one", "two", "three")
    follower = EmbeddingWorker(db, WordEmbedder())

    assert [2, 1, 0] == [follower.catch_up(2) for _ in range(3)]
    assert 0 == follower.pending()


def test_pending_texts_are_embedded_in_batches(db, monkeypatch):
    monkeypatch.setattr(embedding_worker, "BATCH", 2)
    write(db, *[f"text {number}" for number in range(5)])
    left = []

    class Watching(WordEmbedder):
        def embed(self, texts):
            left.append(standing(db).unembedded)
            return super().embed(texts)

    EmbeddingWorker(db, Watching()).catch_up()

    assert [5, 3, 1] == left


def test_no_transaction_is_open_while_embedding(db, tmp_path):
    class Interrupted(WordEmbedder):
        def embed(self, texts):
            if not self.texts:
                with db.note() as connection:
                    put(connection, 1, "changed meanwhile")
            return super().embed(texts)

    write(db, "one", "two")
    EmbeddingWorker(db, Interrupted()).catch_up()

    assert 0 == standing(db).unembedded
    with db.read() as connection:
        (rows,) = PIECES.all_vectors(connection, "words/1")
    expected = hashed_vectors(["changed meanwhile", "two"])
    assert [1.0, 1.0] == [
        round(float(a @ b), 2) for a, b in zip(expected, rows.matrix, strict=True)
    ]


def test_catching_up_reports_progress(db):
    reported = []
    write(db, "one", "two", "three")
    with track_progress(lambda done, total, message: reported.append((done, total))):
        EmbeddingWorker(db, WordEmbedder()).catch_up(1)
        EmbeddingWorker(db, WordEmbedder()).catch_up()

    assert [(2, 2)] == reported


def test_concurrent_catch_up_is_safe(tmp_path, db):
    write(db, *[f"text {number}" for number in range(40)])
    both = threading.Barrier(2, timeout=PATIENCE)

    class Together(WordEmbedder):
        def embed(self, texts):
            if not self.texts:
                both.wait()
            return super().embed(texts)

    def catch_up():
        other = Database(tmp_path / "memory.db", db.clock)
        EmbeddingWorker(other, Together()).catch_up()
        other.close()

    threads = [threading.Thread(target=catch_up) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert (40, 0) == (standing(db).indexed, standing(db).unembedded)
    with db.read() as connection:
        assert 40 == connection.execute("select count(*) from embeddings").get


def test_another_model_does_not_embed_into_a_store(db):
    write(db, "one")
    embed_all(db)
    write(db, "one", "two")

    with pytest.raises(DimensionMismatchError, match="reindex"):
        EmbeddingWorker(db, WordEmbedder(OTHER)).catch_up()
    assert 1 == standing(db).unembedded


def test_unembeddable_rows_do_not_block_others(db, monkeypatch):
    write(db, "one")
    monkeypatch.setattr(embeddings, "store_vectors", lambda *_, **__: None)

    assert 1 == EmbeddingWorker(db, WordEmbedder()).catch_up()


def drained(db, follower, embedder):
    """Start, wait until the embedder was asked, stop: the batch in hand is finished first."""
    follower.start()
    asked = embedder.asked.wait(PATIENCE)
    ended = follower.stop(PATIENCE)
    return asked and ended


def test_thread_embeds_pending_texts_and_releases_its_lease(db):
    embedder = Signal()
    write(db, "one", "two")

    assert drained(db, EmbeddingWorker(db, embedder), embedder)
    assert 0 == standing(db).unembedded
    with db.read() as connection:
        assert leases.holder(connection, LEASE, now=db.clock()) is None


def test_callbacks_run_when_the_queue_is_empty(db):
    write(db, "one")
    left = []
    reported = threading.Event()
    follower = EmbeddingWorker(db, WordEmbedder())
    follower.when_level += [lambda: left.append(standing(db).unembedded), reported.set]
    follower.start()

    assert reported.wait(PATIENCE)
    assert follower.stop(PATIENCE)
    assert 0 == left[0]


def test_notification_wakes_the_thread(db):
    embedder = Signal()
    follower = EmbeddingWorker(db, embedder, look_seconds=3600)
    follower.start()
    write(db, "one")
    follower.nudge()
    asked = embedder.asked.wait(PATIENCE)

    assert asked
    assert follower.stop(PATIENCE)
    assert 0 == standing(db).unembedded


def test_embedding_thread_yields_to_lease_holder(db):
    write(db, "one")
    leases.Lease(db, LEASE, holder="another", seconds=60).take()
    follower = EmbeddingWorker(db, WordEmbedder())

    assert not follower._drain()
    assert 1 == standing(db).unembedded


def test_a_model_that_fails_leaves_the_thread_running(db, caplog):
    failed = threading.Event()

    def load():
        failed.set()
        raise RuntimeError("damaged weights")

    write(db, "one")
    follower = EmbeddingWorker(db, LazyEmbedder("words", load))
    follower.start()
    assert failed.wait(PATIENCE)
    assert follower.stop(PATIENCE)

    assert "damaged weights" in caplog.text
    assert 1 == standing(db).unembedded
    with pytest.raises(EmbeddingError):
        follower.catch_up()


def test_pending_work_is_deduplicated_by_model(db):
    write(db, "one")
    EmbeddingWorker(db, WordEmbedder(OTHER)).catch_up()

    assert (OTHER.model, OTHER.dimension) == (standing(db).model, standing(db).dimension)
    assert WORDS.model != standing(db).model


def test_progress_is_reported_and_cancellable_after_each_batch(memory, monkeypatch):
    monkeypatch.setattr(embedding_worker, "BATCH", 10)
    memory.graph.create_entity("Ann", "person")
    for n in range(30):
        memory.observations.add_observation("ann", f"fact {n}")
    reported = []

    def leave_after_two():
        return len(reported) == 2

    with track_progress(
        lambda done, total, message: reported.append((done, total)), leave_after_two
    ):
        assert 20 == memory.catch_up()
    with track_progress(lambda done, total, message: reported.append((done, total))):
        assert 11 == memory.catch_up()

    assert [(10, 31), (20, 31), (10, 11), (11, 11)] == reported
