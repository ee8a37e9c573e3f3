from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import PATIENCE
from vector_rows import WordEmbedder

from memory_core.errors import EmbeddingError
from memory_core.search.embedder import LazyEmbedder, loaded_embedder
from memory_core.search.lazy import ModelAbsent


def test_nothing_is_loaded_until_it_is_needed():
    loads = []

    def load():
        loads.append(1)
        return WordEmbedder()

    embedder = LazyEmbedder("words", load)
    before = (embedder.state, len(loads))
    with ThreadPoolExecutor(8) as pool:
        shapes = set(pool.map(lambda _: embedder.embed(["a text"]).shape, range(32)))

    assert ("idle", 0) == before
    assert ("ready", 1) == (embedder.state, len(loads))
    assert {(1, 64)} == shapes


def test_warming_loads_in_the_background():
    go_on = threading.Event()

    def load():
        assert go_on.wait(PATIENCE)
        return WordEmbedder()

    embedder = LazyEmbedder("words", load)
    thread = embedder.warm()
    meanwhile = (embedder.state, embedder.ready)
    go_on.set()
    thread.join(PATIENCE)

    assert ("loading", False) == meanwhile
    assert ("ready", True) == (embedder.state, embedder.ready)


def test_failed_load_is_reported_and_retried_only_by_warm():
    outcomes = [RuntimeError("damaged weights"), WordEmbedder()]

    def load():
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    embedder = LazyEmbedder("words", load)
    for _ in range(2):
        with pytest.raises(EmbeddingError, match="words could not be loaded: damaged weights"):
            embedder.embed(["text"])
    failed = (embedder.state, len(outcomes))
    embedder.warm().join(PATIENCE)

    assert ("failed", 1) == failed
    assert ("ready", "") == (embedder.state, embedder.reason)


def test_missing_model_differs_from_failed_model(caplog):
    def load():
        raise ModelAbsent("The model 'x' is not on this machine.")

    embedder = LazyEmbedder("x", load)
    embedder.warm().join(PATIENCE)

    assert ("absent", "The model 'x' is not on this machine.") == (
        embedder.state,
        embedder.reason,
    )
    assert embedder.reason in caplog.text


def test_model_error_does_not_quote_the_text():
    class Failing(WordEmbedder):
        def embed(self, texts):
            raise RuntimeError(f"cannot embed {texts}")

    with pytest.raises(EmbeddingError, match="words/1 failed with RuntimeError") as caught:
        loaded_embedder(Failing()).embed(["a secret"])

    assert "secret" not in str(caught.value)


def test_loaded_embedder_is_ready_at_once():
    embedder = loaded_embedder(WordEmbedder())

    assert embedder.ready
    assert "words/1" == embedder.identity().model
