"""The vocabulary: every spelling of a type is understood, every defect of a file is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.errors import ConfigurationError, ValidationError
from memory_core.rules.graph.ontology import (
    canonical_entity_type,
    canonical_relation_type,
    check_ends,
    crosses_projects,
    parse_ontology,
    stored_triple,
    suggest_relation,
)

SHIPPED_TEXT = Path(__file__).parents[2].joinpath("memory_core/ontology.json").read_text("utf-8")
SHIPPED = parse_ontology(SHIPPED_TEXT)

ENTITY_WORDS = [
    (word, type.name) for type in SHIPPED.entity_types for word in (type.name, *type.aliases)
]
RELATION_WORDS = [
    (word, type.name)
    for type in SHIPPED.relation_types
    for word in (type.name, *type.aliases, *type.inverse_aliases)
]
BETWEEN = st.sampled_from([" ", "_", "-", "  ", " - ", ""])


def ontology(**changes):
    """Return a small ontology of people and companies, with *changes*."""
    declared = {
        "entity_types": [{"name": "person", "aliases": ["human"]}, {"name": "company"}],
        "relation_types": [
            {"name": "WORKS_AT", "domain": ["person"], "range": ["company"]},
            {"name": "PART_OF", "inverse": "HAS_PART"},
            {"name": "HAS_PART", "inverse": "PART_OF"},
        ],
    }
    return json.dumps(declared | changes)


@st.composite
def spellings(draw, words):
    """Any word of the vocabulary, in any letter case and with anything between its parts."""
    word, name = draw(st.sampled_from(words))
    between = draw(BETWEEN)
    cased = [c.upper() if draw(st.booleans()) else c.lower() for c in word]
    return "".join(cased).replace("_", " ").replace(" ", between), name


@given(spellings(ENTITY_WORDS))
def test_entity_types_match_in_any_spelling(spelling):
    written, name = spelling

    assert name == canonical_entity_type(SHIPPED, written)
    assert name == canonical_entity_type(SHIPPED, name)


@given(spellings(RELATION_WORDS))
def test_relation_types_match_in_any_spelling(spelling):
    written, name = spelling

    assert name == canonical_relation_type(SHIPPED, written)
    assert name == canonical_relation_type(SHIPPED, name)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("lives in", "LOCATED_IN"),
        ("Works-at", "WORKS_AT"),
        ("dependsOn", "DEPENDS_ON"),
        ("is part of", "PART_OF"),
        ("wrote", "AUTHORED_BY"),
        ("replaces", "SUPERSEDES"),
    ],
)
def test_common_phrases_map_to_relations(written, name):
    assert name == canonical_relation_type(SHIPPED, written)


@pytest.mark.parametrize(
    ("canonical", "written", "first"),
    [
        (canonical_relation_type, "WORKS_ATT", "Valid: WORKS_AT,"),
        (canonical_relation_type, "live in", "Did you mean LOCATED_IN"),
        (canonical_entity_type, "persn", "Valid: person,"),
        (canonical_entity_type, "", "Valid: person,"),
        (canonical_entity_type, "x" * 10_000, "Unknown entity type"),
    ],
)
def test_an_unknown_type_is_refused_with_the_closest_first(canonical, written, first):
    with pytest.raises(ValidationError) as refused:
        canonical(SHIPPED, written)

    assert first in str(refused.value)
    types = SHIPPED.entity_types + SHIPPED.relation_types
    assert len(str(refused.value)) < sum(len(type.name) + 2 for type in types) + 400


def test_custom_types_are_accepted_where_the_file_says_so():
    open_to_all = parse_ontology(ontology(custom_entity_types=True, custom_relation_types=True))

    assert "sea_chart" == canonical_entity_type(open_to_all, "Sea  Chart")
    assert "person" == canonical_entity_type(open_to_all, "HUMAN")
    assert "MOORED_AT" == canonical_relation_type(open_to_all, "moored-at")
    assert ("MOORED_AT", "b", "a") == stored_triple(open_to_all, "mooredAt", "b", "a")
    check_ends(open_to_all, "moored at", "sea_chart", "person")


@pytest.mark.parametrize("name", ["", " ", "__", "a;b", "x" * 65, "a\nb" * 40])
def test_a_custom_type_must_still_be_a_name(name):
    open_to_all = parse_ontology(ontology(custom_entity_types=True, custom_relation_types=True))

    with pytest.raises(ValidationError, match="is not a valid"):
        canonical_entity_type(open_to_all, name)
    with pytest.raises(ValidationError, match="is not a valid"):
        canonical_relation_type(open_to_all, name)


@given(st.text(max_size=80))
def test_custom_types_have_a_stable_spelling(name):
    open_to_all = parse_ontology(ontology(custom_entity_types=True, custom_relation_types=True))

    for canonical in (canonical_entity_type, canonical_relation_type):
        try:
            once = canonical(open_to_all, name)
        except ValidationError:
            continue
        assert once == canonical(open_to_all, once)


def test_a_relation_between_the_wrong_types_is_refused():
    check_ends(SHIPPED, "works at", "Person", "company")
    with pytest.raises(
        ValidationError, match=r"KNOWS goes from person to person, not from .*HAS_SKILL"
    ):
        check_ends(SHIPPED, "knows", "person", "technology")


def test_reversed_relations_suggest_swapping_the_ends():
    with pytest.raises(ValidationError, match="Swap the two ends"):
        check_ends(SHIPPED, "WORKS_AT", "organization", "person")


def test_inverse_aliases_swap_the_ends():
    assert ("WORKS_AT", "ann", "acme") == stored_triple(SHIPPED, "employs", "acme", "ann")
    check_ends(SHIPPED, "employs", "organization", "person")
    with pytest.raises(ValidationError):
        check_ends(SHIPPED, "employs", "person", "organization")


@given(st.text(), st.text(), st.sampled_from(SHIPPED.relation_types))
def test_only_symmetric_relations_ignore_direction(one, other, type):
    said, back = (
        stored_triple(SHIPPED, type.name, one, other),
        stored_triple(SHIPPED, type.name, other, one),
    )

    assert type.symmetric is (said == back) or one == other
    assert type.symmetric or (type.name, one, other) == said


def test_types_of_older_ontologies_are_accepted_for_any():
    check_ends(SHIPPED, "RELATED_TO", "spaceship", "person")
    with pytest.raises(ValidationError):
        check_ends(SHIPPED, "KNOWS", "spaceship", "person")


def test_a_bridge_may_cross_projects():
    assert crosses_projects(SHIPPED, "same as")
    assert not crosses_projects(SHIPPED, "WORKS_AT")


@pytest.mark.parametrize(
    ("from_type", "to_type", "relation_type"),
    [
        ("person", "session", "MENTIONED_IN"),
        ("Person", "Session", "MENTIONED_IN"),
        ("breakthrough", "session", "BREAKTHROUGH_IN"),
        ("bug", "session", "MENTIONED_IN"),
        ("animal", "metric", "RELATED_TO"),
        ("spaceship", "moon", "RELATED_TO"),
    ],
)
def test_a_relation_is_suggested_from_the_types(from_type, to_type, relation_type):
    assert relation_type == suggest_relation(SHIPPED, from_type, to_type)


def test_every_suggestion_is_a_valid_relation():
    names = [type.name for type in SHIPPED.entity_types]

    for from_type in names:
        for to_type in names:
            suggested = suggest_relation(SHIPPED, from_type, to_type)
            check_ends(SHIPPED, suggested, from_type, to_type)


def test_bundled_ontology_is_closed_and_described():
    assert not SHIPPED.custom_entity_types
    assert not SHIPPED.custom_relation_types
    assert all(type.description for type in SHIPPED.entity_types + SHIPPED.relation_types)


def test_relations_written_by_the_memory_are_allowed():
    small = parse_ontology(ontology())

    check_ends(small, "PRECEDED_BY", "session", "session")
    check_ends(small, "BREAKTHROUGH_IN", "breakthrough", "session")
    check_ends(small, "MEMBER_OF", "person", "concept")
    check_ends(small, "MENTIONED_IN", "person", "session")
    assert "RELATED_TO" == suggest_relation(small, "person", "company")


def test_byte_order_mark_is_accepted():
    assert parse_ontology(ontology()) == parse_ontology("\ufeff" + ontology())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1 column 1"),
        ('{"entity_types": [}', "line 1 column 19"),
        ("[" * 100_000, "too deeply nested"),
        ("[]", "the file"),
        ('{"entity_types": [], "entity_types": []}', "duplicate key 'entity_types'"),
        ('{"entity_types": []}', "relation_types: Field required"),
        ('{"entity_types": [{"name": "\\ud800"}], "relation_types": []}', "The ontology"),
        (ontology(colour="red"), "colour: Extra inputs"),
        (ontology(custom_entity_types="yes"), "custom_entity_types: Input should be"),
        (ontology(entity_types=[{"name": 5}]), "entity_types[0].name: Input should be"),
        (ontology(entity_types=[{"name": "Person"}]), "write 'Person' as 'person'"),
        (ontology(entity_types=[{"name": "_"}]), "entity_types[0].name: '_' is not a name"),
        (ontology(entity_types=[{"name": "*"}]), "entity_types[0].name: '*' is not a name"),
    ],
)
def test_a_malformed_file_names_the_place(text, place):
    with pytest.raises(ConfigurationError) as refused:
        parse_ontology(text)

    assert place in str(refused.value)


@pytest.mark.parametrize(
    ("relation_types", "place"),
    [
        ([{"name": "knows"}], "write 'knows' as 'KNOWS'"),
        ([{"name": "A", "aliases": ["b"]}, {"name": "B"}], "'B' is already used at"),
        ([{"name": "A", "aliases": ["b c"], "inverse_aliases": ["B-C"]}], "is already used at"),
        ([{"name": "A", "domain": ["ship"]}], "[0].domain: unknown entity type 'ship'"),
        ([{"name": "A", "range": ["human"]}], "[0].range: unknown entity type 'human'"),
        ([{"name": "A", "range": []}], "[0].range: the list is empty"),
        ([{"name": "A", "inverse": "B"}], "[0].inverse: unknown relation type 'B'"),
        ([{"name": "A", "inverse": "A"}], "symmetric: true"),
        ([{"name": "A", "inverse": "B"}, {"name": "B"}], "B does not name A as its inverse"),
        (
            [{"name": "A", "inverse": "B", "domain": ["person"]}, {"name": "B", "inverse": "A"}],
            "B must have the domain and range of A, swapped",
        ),
        ([{"name": "A", "symmetric": True, "inverse_aliases": ["b"]}], "A is symmetric"),
        ([{"name": "PRECEDED_BY", "domain": ["person"]}], "it must allow session to session"),
    ],
)
def test_a_relation_type_that_contradicts_itself_is_refused(relation_types, place):
    with pytest.raises(ConfigurationError) as refused:
        parse_ontology(ontology(relation_types=relation_types))

    assert place in str(refused.value)


@pytest.mark.parametrize(
    ("suggested", "place"),
    [
        (["person", "ship", "WORKS_AT"], "unknown entity type 'ship'"),
        (["person", "company", "EMPLOYS"], "unknown relation type 'EMPLOYS'"),
        (["company", "person", "WORKS_AT"], "WORKS_AT does not go from company to person"),
    ],
)
def test_invalid_suggestions_are_rejected(suggested, place):
    keys = ("from_type", "to_type", "relation_type")
    suggestions = [dict(zip(keys, suggested, strict=True))]

    with pytest.raises(ConfigurationError) as refused:
        parse_ontology(ontology(suggested_relations=suggestions))

    assert place in str(refused.value)
