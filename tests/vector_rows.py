"""Insert texts and vectors directly into the tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from support import hashed_vectors

from memory_core.model.search.vectors import ModelIdentity
from memory_core.storage.search import embeddings
from memory_core.storage.search.full_text import digest

WORDS = ModelIdentity(model="words/1", dimension=64, max_tokens=512)
OTHER = ModelIdentity(model="other/1", dimension=32, max_tokens=512)


class WordEmbedder:
    """An embedder of word hashes that counts what it was given."""

    def __init__(self, identity: ModelIdentity = WORDS) -> None:
        self._identity = identity
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return hashed_vectors(texts, self._identity.dimension)

    def identity(self) -> ModelIdentity:
        return self._identity


def piece(searchable_id: int) -> int:
    """Return the id of a searchable's first piece."""
    return searchable_id << embeddings.PIECE_BITS


def put(connection, searchable_id: int, text: str) -> None:
    """Write a searchable of one piece, or give it another text."""
    drop(connection, searchable_id)
    connection.execute(
        "insert into searchables (id, kind, row_id, subject_id, project_id, active, text, seq)"
        " values (:id, 'observation', :row, '', 'default', 1, :text, 1)",
        {"id": searchable_id, "row": str(searchable_id), "text": text},
    )
    connection.execute(
        "insert into pieces (id, start, length, digest) values (:id, 0, :length, :digest)",
        {"id": piece(searchable_id), "length": len(text), "digest": digest(text)},
    )


def drop(connection, searchable_id: int) -> None:
    connection.execute("delete from pieces where id = :id", {"id": piece(searchable_id)})
    connection.execute("delete from searchables where id = :id", {"id": searchable_id})


def embed_all(db, identity: ModelIdentity = WORDS) -> None:
    """Give every waiting piece its vector, in one write."""
    with db.note() as connection:
        embeddings.use_model(connection, identity)
        waiting = embeddings.take_unembedded(connection, 1 << 20)
        vectors = hashed_vectors([item.text for item in waiting], identity.dimension)
        items = zip([item.digest for item in waiting], vectors, strict=True)
        embeddings.store_vectors(connection, identity, items=items)


def put_vectors(db, vectors: NDArray[np.float32], identity: ModelIdentity) -> None:
    """Write row i of *vectors* as searchable i + 1, which has it from the start."""
    keys = [row.to_bytes(8, "big") for row in range(len(vectors))]
    with db.note() as connection:
        embeddings.use_model(connection, identity)
        connection.executemany(
            "insert into embeddings (model, digest, vector) values (?, ?, ?)",
            (
                (identity.model, key, vector.astype("<f2").tobytes())
                for key, vector in zip(keys, vectors, strict=True)
            ),
        )
        connection.executemany(
            "insert into pieces (id, start, length, digest) values (?, 0, 1, ?)",
            ((piece(row + 1), key) for row, key in enumerate(keys)),
        )
