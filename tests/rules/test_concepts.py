from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.graph.concepts import concept_name, distinctive_terms, match_concepts
from memory_core.rules.graph.ontology import parse_ontology
from memory_core.rules.graph.relation_proposals import propose_relation


def said(*facts):
    """Members without telling names."""
    return [("", fact) for fact in facts]


def test_cluster_names_use_shared_distinctive_terms():
    sailing = said("team rope anchor", "team anchor rope", "team anchors mast")
    baking = said("team dough oven", "team oven dough", "team dough flour")

    first, second = distinctive_terms([sailing, baking])

    assert ["anchor", "rope"] == first[:2]
    assert ["dough", "oven"] == second[:2]
    assert "team" == first[-1]


def test_names_are_readable_with_the_common_spelling():
    (terms,) = distinctive_terms([said("PostgreSQL backup", "PostgreSQL backup", "a backup")])

    assert "Backup and PostgreSQL" == concept_name(terms, lambda name: False)


def test_member_names_outweigh_their_facts():
    decks = [("Car deck planner", "costs much"), ("Car deck picker", "costs little")]

    (terms,) = distinctive_terms([decks])

    assert ["Car", "deck", "costs"] == terms


def test_taken_names_get_another_term_then_a_number():
    taken = {"A, b and c", "A, b, c and d"}

    assert "A, b, c, d and e" == concept_name(list("abcde"), taken.__contains__)
    assert "A, b and c (2)" == concept_name(list("abc"), taken.__contains__)


def test_scripts_without_spaces_get_names():
    (terms,) = distinctive_terms([said("部署方案", "部署失败", "部署完成")])

    assert "部署" == terms[0]


def test_clusters_without_common_words_get_a_name():
    (terms,) = distinctive_terms([said("alpha", "beta", "gamma")])

    assert "Group" == concept_name(terms, lambda name: False)


def test_concepts_follow_the_most_similar_cluster():
    groups = [frozenset("ab"), frozenset("cdef"), frozenset("xyz")]

    assert {1: "old"} == match_concepts(groups, {"old": frozenset("abcdef")})


def test_merged_clusters_keep_one_concept():
    concepts = {"small": frozenset("ab"), "large": frozenset("cdef")}

    assert {0: "large"} == match_concepts([frozenset("abcdef")], concepts)


@given(
    st.lists(st.frozensets(st.integers(0, 20).map(str), min_size=1), max_size=6),
    st.dictionaries(st.text(), st.frozensets(st.integers(0, 20).map(str)), max_size=6),
)
def test_concepts_follow_at_most_one_cluster(groups, concepts):
    found = match_concepts(groups, concepts)

    assert len(found) == len(set(found.values()))
    assert found.keys() <= set(range(len(groups)))


ONTOLOGY = parse_ontology(
    """{
    "entity_types": [{"name": "person"}, {"name": "session"}, {"name": "thing"}],
    "relation_types": [
        {"name": "MENTIONED_IN", "range": ["session"]},
        {"name": "RELATED_TO", "symmetric": true}
    ],
    "suggested_relations": [
        {"from_type": "person", "to_type": "session", "relation_type": "MENTIONED_IN"}
    ]
}"""
)


def test_proposed_relations_follow_the_ontology_direction():
    person, session = ("1", "person"), ("2", "session")

    assert ("MENTIONED_IN", "1", "2") == propose_relation(ONTOLOGY, person, session)
    assert ("MENTIONED_IN", "1", "2") == propose_relation(ONTOLOGY, session, person)


def test_unknown_type_pairs_are_related_generically():
    one, other = ("1", "thing"), ("2", "thing")

    assert ("RELATED_TO", "1", "2") == propose_relation(ONTOLOGY, other, one)
