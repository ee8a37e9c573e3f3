"""Communities of a graph: the same as by listing k-cliques, without listing them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.rules.graph.cliques import communities, match_groups

LIMIT = 10_000


def found(edges, weights, *, k=4, most_cliques=LIMIT, is_late=lambda: False):
    return communities(edges, weights, k=k, most_cliques=most_cliques, is_late=is_late)


def naive(edges, count, k):
    """List every k-clique, and join those that share k - 1 nodes, over and over."""
    joined = {frozenset(edge) for edge in edges}
    cliques = [
        set(nodes)
        for nodes in itertools.combinations(range(count), k)
        if all(frozenset(pair) in joined for pair in itertools.combinations(nodes, 2))
    ]
    groups = [[clique] for clique in cliques]
    merging = True
    while merging:
        merging = False
        for one, other in itertools.combinations(range(len(groups)), 2):
            if any(len(a & b) >= k - 1 for a in groups[one] for b in groups[other]):
                groups[one] += groups.pop(other)
                merging = True
                break
    return {frozenset().union(*group) for group in groups}


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 9))
    pairs = list(itertools.combinations(range(count), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return count, edges


@settings(max_examples=200, deadline=None)
@given(graphs(), st.integers(2, 5))
def test_communities_match_the_definition(graph, k):
    count, edges = graph

    assert naive(edges, count, k) == set(found(edges, [1] * count, k=k).groups)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.lists(st.integers(1, 3), min_size=9, max_size=9))
def test_weighted_nodes_count_several_times(graph, weights):
    count, edges = graph
    copies = [[(node, n) for n in range(weights[node])] for node in range(count)]
    number = {copy: place for place, copy in enumerate(itertools.chain(*copies))}
    whole = [(a, b) for one, other in edges for a in copies[one] for b in copies[other]]
    whole += [pair for group in copies for pair in itertools.combinations(group, 2)]
    expected = naive([(number[a], number[b]) for a, b in whole], len(number), 4)

    groups = found(edges, weights[:count]).groups

    assert expected == {
        frozenset(number[copy] for node in group for copy in copies[node]) for group in groups
    }


@pytest.mark.slow
def test_identical_nodes_need_few_cliques():
    for count in (40, 200):
        pairs = list(itertools.combinations(range(count), 2))

        whole = found(pairs, [1] * count, most_cliques=20_000)
        nearly = found(pairs[::2] + pairs[1::4], [1] * count, most_cliques=20_000)

        assert (len(pairs), [frozenset(range(count))]) == (whole.cliques, whole.groups)
        assert [frozenset(range(count))] == nearly.groups
        assert nearly.cliques <= len(pairs)


def test_a_node_may_be_in_two_groups():
    edges = [*itertools.combinations(range(4), 2), *itertools.combinations(range(3, 7), 2)]

    assert [frozenset({0, 1, 2, 3}), frozenset({3, 4, 5, 6})] == found(edges, [1] * 7).groups


def test_reached_limits_are_reported():
    edges = [pair for n in range(0, 40, 4) for pair in itertools.combinations(range(n, n + 4), 2)]

    few = found(edges, [1] * 40, most_cliques=7)
    late = found(edges, [1] * 40, is_late=lambda: True)

    assert (7, "the limit of 7 cliques was reached") == (few.cliques, few.partial)
    assert [frozenset(range(4))] == few.groups
    assert ("the time limit was reached after 0 cliques", []) == (late.partial, late.groups)
    assert "" == found(edges, [1] * 40).partial


def test_groups_keep_the_id_with_the_largest_overlap():
    old = {"g1": {"a", "b", "c", "d"}, "g2": {"w", "x", "y", "z"}}
    new = [{"w", "x", "y"}, {"a", "b", "c", "d", "e"}, {"a", "b"}, {"q"}]

    assert {0: "g2", 1: "g1"} == match_groups(old, new)
