from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.graph.duplicates import NamedEntity, compare_entities, compare_facts


def facts(a, b, *, similarity=0.95, same_subject=True):
    verdict = compare_facts(a, b, similarity=similarity, same_subject=same_subject)
    return verdict.kind, verdict.reason


def entities(a, b, node_type="technology", *, similarity=0.95):
    one, other = NamedEntity(a, node_type), NamedEntity(b, node_type)
    return compare_entities(one, other, similarity=similarity).kind


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The API retries three times on failure", "On failure, the API retries 3 times"),
        ("Postgres is used for orders", "postgres is used for the orders"),
        ("Deploys happen on Fridays", "Deployments happen on Friday"),
        ("部署在周五", "部署在周五。"),
    ],
)
def test_inflected_forms_are_the_same_fact(a, b):
    assert "duplicate" == facts(a, b)[0]


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("Alice is CEO", "Sarah is CTO", "name"),
        ("Alice manages Bob", "Bob manages Alice", "name"),
        ("Ann likes tea", "Ann likes coffee", "words"),
        ("Fact number 17", "Fact number 18", "number"),
        ("Standup moved to 10:30", "Standup moved to 11:30", "number"),
        ("The release is 2026-05-01", "The release is 2026-06-01", "number"),
    ],
)
def test_different_persons_numbers_or_words_are_different_facts(a, b, reason):
    assert ("different", reason) == facts(a, b)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("Deploys are allowed on Friday", "Deploys are not allowed on Friday", "negation"),
        ("The cache works", "The cache doesn't work", "negation"),
        ("He can deploy", "He can't deploy", "negation"),
        ("部署很稳定", "部署不稳定", "negation"),
        ("Der Cache ist schnell", "Der Cache ist nicht schnell", "negation"),
        ("Retry limit is 5", "Retry limit is 8", "number"),
        ("The retry limit is five", "The retry limit is 8", "number"),
        ("Alice is CEO", "Alice is CTO", "value"),
        ("Ann lives in Oslo", "Ann lives in Bergen", "value"),
        ("The cache is enabled", "The cache is disabled", "opposite"),
    ],
)
def test_negations_and_different_values_contradict(a, b, reason):
    assert ("contradiction", reason) == facts(a, b)
    assert ("contradiction", reason) == facts(b, a)


def test_facts_of_two_subjects_never_contradict_each_other():
    kind, _ = facts("It does not retry", "It does retry", same_subject=False)

    assert "different" == kind


@given(st.text(), st.text(), st.floats(0, 1))
def test_comparison_is_symmetric(a, b, similarity):
    there = compare_facts(a, b, similarity=similarity, same_subject=True)
    back = compare_facts(b, a, similarity=similarity, same_subject=True)

    assert there.kind == back.kind


@given(st.text())
def test_a_text_never_contradicts_itself(text):
    verdict = compare_facts(text, text, similarity=1.0, same_subject=True)

    assert "duplicate" == verdict.kind


@pytest.mark.parametrize(
    ("a", "b"),
    [("Postgres 15", "PostgreSQL 15"), ("orders-api", "Orders API"), ("Café", "Cafe")],
)
def test_name_variants_are_the_same_entity(a, b):
    assert "duplicate" == entities(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [("Postgres 15", "Postgres 16"), ("Orders API", "Orders service"), ("Sync", "No sync")],
)
def test_different_versions_or_words_are_different_entities(a, b):
    assert "different" == entities(a, b)


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("Jon Smith", "Joan Smith", "different"),
        ("Alex Lee", "Alexander Lee", "different"),
        ("Ann", "Ann Lee", "different"),
        ("Lee, Ann", "Ann Lee", "duplicate"),
        ("José", "Jose", "duplicate"),
    ],
)
def test_people_match_only_by_identical_name(a, b, kind):
    assert kind == entities(a, b, "person", similarity=0.99)


def test_entities_of_different_types_differ():
    verdict = compare_entities(
        NamedEntity("Atlas", "team"), NamedEntity("Atlas", "service"), similarity=1.0
    )

    assert ("different", "type") == (verdict.kind, verdict.reason)


def test_shared_aliases_identify_entities():
    one = NamedEntity("Robert Hill", "person", ("Bob",))

    assert "duplicate" == compare_entities(one, NamedEntity("Bob", "person"), similarity=0.5).kind


def test_long_statements_of_the_same_word_are_compared():
    long = "again " * 50_000

    assert compare_facts(long, long + "now", similarity=0.99, same_subject=True).kind


def test_opposite_preferences_of_one_subject_contradict():
    a, b = "Prefers tabs over spaces", "Prefers spaces over tabs"
    mine, yours = f"The team p{a[1:]}", f"The team p{b[1:]}"

    assert ("contradiction", "preference") == facts(mine, yours)
    assert "different" == facts(mine, yours, same_subject=False)[0]
    assert ("contradiction", "preference") == facts(a, b)
