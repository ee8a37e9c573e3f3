from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.facts.fact_conflicts import are_contradictory
from memory_core.rules.facts.fact_decisions import Decision, KnownFact, decide_fact

CONFLICTS = [
    ("The user likes coffee", "The user does not like coffee"),
    ("The user likes coffee", "The user doesn't like coffee at all."),
    ("The user likes coffee", "The user no longer likes coffee"),
    ("The user likes coffee", "The user does not like coffee anymore"),
    ("The user loves coffee", "The user hates coffee"),
    ("The user enjoys jazz", "The user dislikes jazz"),
    ("The user hates jazz", "The user does not hate jazz"),
    ("I like coffee", "I don't like coffee"),
    ("The user eats meat", "The user never eats meat"),
    ("The user has a dog", "The user has no dog"),
    ("The user has a car", "The user does not have a car"),
    ("The user can swim", "The user cannot swim"),
    ("The user is vegan", "The user isn't vegan"),
    ("Ann carries a lamp", "Ann does not carry a lamp"),
    ("The user will move", "The user won't move"),
    ("Backups are enabled", "Backups are disabled"),
    ("The user always drinks tea", "The user never drinks tea"),
    ("The user prefers dark mode", "The user prefers light mode"),
    ("I prefer tabs over spaces", "I prefer spaces over tabs"),
    ("I prefer tabs over spaces.", "I prefer spaces over tabs!"),
    ("The user prefers tea to coffee", "The user prefers coffee to tea"),
    ("Ann likes trains more than planes", "Ann likes planes more than trains"),
    ("Ann would rather use vim than emacs", "Ann would rather use emacs than vim"),
    ("Ann prefers trains over planes for trips", "Ann prefers planes over trains for trips"),
    ("The user lives in Rome", "The user lives in Oslo"),
    ("The user lives in Rome, Italy", "The user lives in New York"),
    ("Alice works at Google", "Alice works at Netflix"),
    ("The user is called Anna", "The user is called Marta"),
    ("The user's favourite colour is blue", "The user's favourite colour is dark green"),
    ("The user's birthday is 3 May", "The user's birthday is 4 June"),
    ("Ann is 30 years old", "Ann is 31 years old"),
    ("The user has two dogs", "The user has three dogs"),
    ("Der Nutzer mag Kaffee", "Der Nutzer mag keinen Kaffee"),
    ("Der Nutzer wohnt in Berlin", "Der Nutzer wohnt in Hamburg"),
    ("L'utilisateur boit du café", "L'utilisateur ne boit pas du café"),
    ("L'utilisateur aime le café", "L'utilisateur n'aime pas le café"),
    ("El usuario vive en Madrid", "El usuario vive en Sevilla"),
    ("Пользователь пьёт чай", "Пользователь никогда не пьёт чай"),
    ("Пользователь живёт в Москве", "Пользователь живёт в Париже"),
    ("用户喜欢茶", "用户不喜欢茶"),
    ("用户有狗", "用户没有狗"),
]

BOTH_STAY = [
    ("I prefer tabs over spaces", "I prefer spaces over semicolons"),
    ("Ann prefers tabs over spaces", "Bob prefers spaces over tabs"),
    ("Ann prefers trains over planes for trips", "Ann prefers planes over trains for work"),
    ("The user takes trains to Rome", "The user takes Rome to trains"),
    ("The user likes coffee", "The user likes coffee"),
    ("The user likes coffee", "The user likes tea"),
    ("The user does not like coffee", "The user hates coffee"),
    ("The user does not like coffee", "The user likes coffee in the morning"),
    ("The user likes coffee", "The user does not like tea"),
    ("The user likes coffee", "The user does not love coffee"),
    ("The user likes coffee without milk", "The user likes coffee with milk"),
    ("Ann likes coffee", "Bob does not like coffee"),
    ("Ann lives in Rome", "Bob lives in Oslo"),
    ("Ann's sister lives in Rome", "Ann's sister lives in Oslo"),
    ("The user's dog is called Rex", "The user's dog is called Max"),
    ("She likes coffee", "She does not like coffee"),
    ("He lives in Rome", "He lives in Oslo"),
    ("Some users like coffee", "Some users do not like coffee"),
    ("A colleague lives in Rome", "A colleague lives in Oslo"),
    ("One of Ann's favourite books is Emma", "One of Ann's favourite books is Ulysses"),
    ("The user sometimes drinks tea", "The user sometimes does not drink tea"),
    ("Does the user like coffee?", "The user does not like coffee"),
    ("The user is a teacher", "The user is a father"),
    ("The user is tall", "The user is kind"),
    ("The user likes public transport", "The user likes private transport"),
    ("The user visited Rome", "The user visited Oslo"),
    ("The user uses Python", "The user uses Rust"),
    ("The user works at night", "The user works at Netflix"),
    ("The user lives in Rome", "The user lives in an old house"),
    ("The user lives in Rome", "The user lives in Rome near the river"),
    ("The user lives in Rome in winter", "The user lives in Oslo in summer"),
    ("The user works as a nurse", "The user works as a guide"),
    ("The user's car is red", "The user's car is fast"),
    ("The user has read chapter 3", "The user has read chapter 4"),
    ("Server 1 has 8 GB", "Server 2 has 8 GB"),
    ("The user has 2 dogs", "The user has 3 cats"),
    ("The build failed", "The build did not fail"),
    ("The server was down", "The server was not down"),
    ("The user is tired today", "The user is not tired today"),
    ("The user has no dog and no cat", "The user has a dog and a cat"),
    ("사용자는 서울에 산다", "사용자는 부산에 산다"),
    ("ผู้ใช้ชอบกาแฟ", "ผู้ใช้ไม่ชอบกาแฟ"),
]


@pytest.mark.parametrize(("old", "new"), CONFLICTS)
def test_negation_or_different_single_value_conflicts(old, new):
    assert (True, True) == (are_contradictory(old, new), are_contradictory(new, old))


@pytest.mark.parametrize(("old", "new"), BOTH_STAY)
def test_compatible_statements_do_not_conflict(old, new):
    assert (False, False) == (are_contradictory(old, new), are_contradictory(new, old))


@given(st.text(max_size=80), st.text(max_size=80))
def test_conflict_check_is_symmetric(one, other):
    assert are_contradictory(one, other) == are_contradictory(other, one)
    assert not are_contradictory(one, one)


def test_long_texts_are_not_compared():
    page = "Ann likes coffee " * 100

    assert not are_contradictory(page + "here", page + "not here")


def test_related_facts_are_checked_for_conflicts_only():
    known = [
        KnownFact("k0", "The user likes coffee", is_similar=False),
        KnownFact("k1", "The user does not like cold coffee", is_similar=False),
    ]

    for strategy in ("replace", "merge", "skip"):
        done = decide_fact(
            "The user does not like coffee", known, strategy=strategy, can_merge=True
        )
        assert Decision("insert", contradicted=("k0",)) == done
