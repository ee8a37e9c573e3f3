from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.facts.fact_decisions import Decision, KnownFact, decide_fact
from memory_core.rules.facts.fact_relations import classify_relation
from memory_core.rules.facts.information_content import information_score

UPDATES = [
    ("Alice lives in Berlin", "Alice lives in Munich"),
    ("The user has 2 dogs", "The user has three dogs"),
    ("The user weighs 70 kg", "The user weighs 72 kg"),
    ("The meeting with Anna is on Monday", "The meeting with Anna is on Tuesday"),
    ("The user is a teacher", "The user was a teacher"),
    ("The user lives in Rome", "The user lived in Rome"),
    ("The user moved to Rome", "The user moved from Rome"),
    ("Der Nutzer wohnt in Berlin", "Der Nutzer wohnt in Hamburg"),
    ("Пользователь живёт в Москве", "Пользователь живёт в Париже"),
    ("用户住在柏林", "用户住在慕尼黑"),
    ("उपयोगकर्ता दिल्ली में रहता है", "उपयोगकर्ता मुंबई में रहता है"),
    ("المستخدم يعيش في برلين", "المستخدم يعيش في ميونخ"),
    ("사용자는 서울에 산다", "사용자는 부산에 산다"),
]

DENIALS = [
    ("The user likes tea", "The user does not like tea"),
    ("The user never drinks tea", "The user drinks tea"),
    ("Der Nutzer trinkt Tee", "Der Nutzer trinkt keinen Tee"),
    ("用户喜欢茶", "用户不喜欢茶"),
    ("Пользователь пьёт чай", "Пользователь не пьёт чай"),
    ("Backups are enabled", "Backups are disabled"),
]

APART = [
    ("Ann likes tea", "Bob likes tea"),
    ("Ann manages Bob", "Bob manages Ann"),
    ("甲喜欢乙", "乙喜欢甲"),
    ("Ann knows Martin", "Martin knows Ann"),
    ("Service A calls service B", "Service B calls service A"),
    ("Deploy to staging before production", "Deploy to production before staging"),
    ("The train goes from Rome to Paris", "The train goes to Rome from Paris"),
    ("The user ran on 2026-01-01", "The user ran on 2026-01-02"),
    ("The user's sister lives in Rome", "The user lives in Rome"),
    ("The user met Anna on Monday", "The user met Anna on Tuesday"),
    ("The user has read chapter 3", "The user has read chapter 4"),
    ("Das Zimmer im Haus ist Nummer 3", "Das Zimmer im Haus ist Nummer 4"),
]


@pytest.mark.parametrize(("old", "new"), UPDATES)
def test_single_value_change_is_an_update_in_any_script(old, new):
    assert classify_relation(old, new) in ("updates", "rewords")
    assert classify_relation(new, old) in ("updates", "rewords")


@pytest.mark.parametrize(("old", "new"), DENIALS)
def test_negation_is_a_conflict_not_a_duplicate(old, new):
    assert ("denies", "denies") == (classify_relation(old, new), classify_relation(new, old))


@pytest.mark.parametrize(("old", "new"), APART)
def test_different_person_or_day_is_another_fact(old, new):
    assert ("apart", "apart") == (classify_relation(old, new), classify_relation(new, old))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ann drinks tea and coffee", "Ann drinks coffee and tea."),
        ("In June Ann went to Rome", "Ann went to Rome in June"),
        ("Ann mag Tee oder Kaffee", "Ann mag Kaffee oder Tee"),
    ],
)
def test_a_list_or_a_day_may_move(old, new):
    assert ("same", "same") == (classify_relation(old, new), classify_relation(new, old))


def test_similar_names_are_different_names():
    assert "updates" == classify_relation("Ann knows Martin", "Ann knows Martina")
    assert "same" == classify_relation(
        "Ann has many hobbies", "The Ann has, you know, many hobbies."
    )


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("Alice works at Google", "Alice works at Google as a senior engineer"),
        ("Alice is a vegetarian", "Alice is a strict vegetarian"),
        ("The user lives in Berlin", "The user lives in Berlin Mitte near the park"),
        ("用户住在柏林", "用户住在柏林米特区"),
        ("The user has a dog", "The user has a dog called Rex"),
    ],
)
def test_refinements_replace_and_generalizations_do_not(less, more):
    assert ("refines", "generalises") == (
        classify_relation(less, more),
        classify_relation(more, less),
    )
    assert information_score(more) > information_score(less) > 0


def test_blank_text_has_no_information():
    assert [0, 0, 0] == [information_score(text) for text in ("", " \n", "the of, and!")]


def test_concise_text_scores_higher_than_padded():
    dense = "Alice is a vegetarian"
    padded = "Well, you know, Alice is actually, basically, really quite a vegetarian"

    assert information_score(dense) > information_score(padded)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_a_relation(one, other):
    assert "same" == classify_relation(one, one)
    assert classify_relation(one, other)
    assert information_score(one) >= 0


def known(*texts, newer=False):
    return [KnownFact(f"k{place}", text, newer) for place, text in enumerate(texts)]


def test_an_update_supersedes_what_it_replaces():
    done = decide_fact(
        "Alice lives in Munich",
        known("Alice lives in Berlin"),
        strategy="replace",
        can_merge=False,
    )

    assert Decision("insert", contradicted=("k0",)) == done


def test_late_imports_do_not_override_newer_facts():
    done = decide_fact(
        "Alice lives in Munich",
        known("Alice lives in Berlin", newer=True),
        strategy="merge",
        can_merge=False,
    )

    assert Decision("outdated", "k0") == done


def test_negations_are_never_merged_by_a_model():
    texts = known(
        "The user likes green tea", "The user does not like tea at all", "The user likes tea in bed"
    )

    done = decide_fact("The user likes tea", texts, strategy="merge", can_merge=True)

    assert Decision("merge", "k0", ("k2",), ("k1",)) == done


def test_off_skips_comparison_and_skip_keeps_stored_facts():
    same = known("The user likes tea")

    assert Decision("insert") == decide_fact(
        "The user likes tea", same, strategy="off", can_merge=True
    )
    assert Decision("duplicate", "k0") == decide_fact(
        "The user likes green tea", same, strategy="skip", can_merge=True
    )
    assert Decision("insert", contradicted=("k0",)) == decide_fact(
        "The user hates no tea", known("The user hates tea"), strategy="skip", can_merge=True
    )
