from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from support import hashed_vectors
from vector_rows import WordEmbedder

from memory_core.search.query_cache import CachedQueries


def test_a_query_is_embedded_once():
    embedder = WordEmbedder()
    queries = CachedQueries(embedder)
    first, first_cached = queries.vector("where is it")
    second, second_cached = queries.vector("where is it")

    np.testing.assert_array_equal(hashed_vectors(["where is it"])[0], first)
    np.testing.assert_array_equal(first, second)
    assert (False, True) == (first_cached, second_cached)
    assert ["where is it"] == embedder.texts
    assert (1, 1) == (queries.hits, queries.misses)


def test_least_recently_used_query_is_evicted():
    queries = CachedQueries(WordEmbedder(), size=2)
    for text in ("a", "b", "a", "c"):
        queries.vector(text)

    assert [True, False] == [queries.vector(text)[1] for text in ("a", "b")]
    assert 2 == len(queries)


def test_long_queries_are_not_cached():
    queries = CachedQueries(WordEmbedder())
    cached = []
    for text in ("x" * 4095, "x" * 4096):
        queries.vector(text)
        cached.append(queries.vector(text)[1])

    assert [True, False] == cached


def test_zero_size_cache_stores_nothing():
    queries = CachedQueries(WordEmbedder(), size=0)
    queries.vector("a")

    assert not queries.vector("a")[1]


def test_query_cache_is_thread_safe():
    queries = CachedQueries(WordEmbedder(), size=3)
    texts = [f"query {number % 7}" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: queries.vector(text)[0], texts))

    np.testing.assert_array_equal(hashed_vectors(texts), np.stack(found))
    assert 200 == queries.hits + queries.misses
    assert 3 == len(queries)
