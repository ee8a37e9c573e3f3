from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support import HandClock, hashed_vectors
from vector_rows import OTHER, WORDS, drop, embed_all, put

from memory_core.search.index import VectorIndex
from memory_core.storage.database import Database
from memory_core.storage.search import embeddings
from memory_core.storage.search.vector_log import PIECES

TEXTS = st.sampled_from([f"{colour} {fruit}" for colour in "abcd" for fruit in "wxyz"])
NUMBERS = st.integers(1, 12)


class IndexBesideDatabase(RuleBasedStateMachine):
    """Every index is in sync with the tables after writes, embedding, pruning and model changes."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.db = Database(Path(self.folder.name, "memory.db"), HandClock())
        self.identity = WORDS
        embed_all(self.db)
        self.indexes = [self._index(4), self._index(10**9), self._index(4, "sqlite-vec")]

    def _index(self, exact_below, backend="turbovec"):
        return VectorIndex(lambda: self.identity, exact_below=exact_below, backend=backend)

    @rule(number=NUMBERS, text=TEXTS)
    def write(self, number, text):
        with self.db.note() as connection:
            put(connection, number, text)

    @rule(number=NUMBERS)
    def delete(self, number):
        with self.db.note() as connection:
            drop(connection, number)

    @rule(limit=st.integers(1, 3))
    def embed_some(self, limit):
        with self.db.note() as connection:
            waiting = embeddings.take_unembedded(connection, limit)
            vectors = hashed_vectors([item.text for item in waiting], self.identity.dimension)
            items = zip([item.digest for item in waiting], vectors, strict=True)
            embeddings.store_vectors(connection, self.identity, items=items)

    @rule(number=NUMBERS, text=TEXTS)
    def write_and_roll_back(self, number, text):
        try:
            with self.db.note() as connection:
                put(connection, number, text)
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass

    @rule(back=st.integers(0, 5))
    def prune(self, back):
        with self.db.note() as connection:
            embeddings.prune_vectors(connection)
            embeddings.prune_log(connection, embeddings.log_position(connection) - back)

    @rule()
    def switch_model(self):
        self.identity = OTHER if self.identity is WORDS else WORDS
        with self.db.note() as connection:
            embeddings.reindex(connection, self.identity)

    @rule(which=st.integers(0, 2))
    def follow_with_one(self, which):
        with self.db.read() as connection:
            self.indexes[which].follow(connection)

    @invariant()
    def counters_are_right(self):
        with self.db.read() as connection:
            now = embeddings.standing(connection)
            assert connection.execute("select count(*) from pieces").get == now.pieces
            assert connection.execute("select count(*) from unembedded").get == now.unembedded

    @rule()
    def compare(self):
        with self.db.read() as connection:
            expected = [
                (int(id), vector)
                for block in PIECES.all_vectors(connection, self.identity.model)
                for id, vector in zip(block.ids, block.matrix, strict=True)
            ]
            for index in self.indexes:
                query = hashed_vectors(["a w"], self.identity.dimension)[0]
                hits = index.search(connection, query, limit=50)
                best = {id: float(vector @ query) for id, vector in expected}
                assert best.keys() == dict(hits).keys()
                assert all(abs(best[id] - score) < 2e-3 for id, score in hits)
                assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def teardown(self):
        self.compare()
        self.db.close()
        self.folder.cleanup()


IndexBesideDatabase.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None
)
test_index_beside_database = IndexBesideDatabase.TestCase
