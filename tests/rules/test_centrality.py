from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.graph import centrality

ROOT = Path(__file__).parents[2]

weights = st.floats(allow_nan=False, allow_infinity=False)
edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), weights), max_size=30)


@given(edges)
def test_metrics_accept_any_graph_and_weights(edges):
    ranks = centrality.pagerank(10, edges)
    parts = centrality.components(10, edges)
    groups = centrality.communities(10, edges)

    assert sum(ranks) == pytest.approx(1, abs=1e-6)
    assert all(rank > 0 for rank in ranks)
    assert list(range(10)) == sorted(node for part in parts for node in part)
    assert list(range(10)) == sorted(node for group in groups for node in group)
    assert 10 == len(centrality.betweenness(10, edges))
    assert ranks == centrality.pagerank(10, list(reversed(edges)))


def test_metrics_agree_with_networkx():
    graph = networkx.gnm_random_graph(60, 150, seed=3, directed=True)
    edges = [(a, b, 1.0 + (a * b) % 5) for a, b in graph.edges]
    graph.add_weighted_edges_from(edges)

    expected = networkx.pagerank(graph, tol=1e-12)
    between = networkx.betweenness_centrality(graph.to_undirected())

    assert list(expected.values()) == pytest.approx(centrality.pagerank(60, edges), abs=1e-6)
    assert list(between.values()) == pytest.approx(centrality.betweenness(60, edges), abs=1e-6)


def test_two_cliques_joined_by_one_edge_are_two_communities_and_one_component():
    left = [(a, b, 1.0) for a in range(5) for b in range(a)]
    right = [(a + 5, b + 5, 1.0) for a, b, _ in left]

    edges = [*left, *right, (4, 5, 1.0)]

    assert [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]] == centrality.communities(10, edges)
    assert [list(range(10))] == centrality.components(10, edges)
    assert {4, 5} == set(sorted(range(10), key=centrality.betweenness(10, edges).__getitem__)[-2:])


def test_large_graphs_have_communities(monkeypatch):
    monkeypatch.setattr(centrality, "MAX_LOUVAIN_EDGES", 3)
    left = [(a, b, 1.0) for a in range(5) for b in range(a)]
    right = [(a + 5, b + 5, 1.0) for a, b, _ in left]

    found = centrality.communities(11, [*left, *right, (4, 5, 0.1)])

    assert [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10]] == found
    assert found == centrality.communities(11, [*left, *right, (4, 5, 0.1)])


def test_empty_graph_has_empty_metrics():
    assert [] == centrality.pagerank(0, [])
    assert [] == centrality.betweenness(0, [])
    assert [] == centrality.components(0, []) == centrality.communities(0, [])


@pytest.mark.process
def test_metrics_are_deterministic_across_processes():
    script = (
        "from memory_core.rules.graph import centrality as c;"
        "e=[(a*7%40,a*11%40,float(a%5)) for a in range(200)];"
        "print(c.communities(40,e),c.pagerank(40,e),c.betweenness(40,e))"
    )

    def run(seed):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=True,
        ).stdout

    assert run("1") == run("2")
