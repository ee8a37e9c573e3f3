"""The password of the dashboard is not found by trying one after the other."""

from __future__ import annotations

from dashboard.auth import AT_ONCE, EACH_SECONDS, Guesses


def test_only_so_many_passwords_may_be_tried():
    now = [0.0]
    guesses = Guesses(lambda: now[0])

    at_once = [guesses.may_try() for _ in range(AT_ONCE + 5)]
    now[0] += EACH_SECONDS
    later = [guesses.may_try() for _ in range(2)]

    assert [True] * AT_ONCE + [False] * 5 == at_once
    assert [True, False] == later


def test_a_long_rest_gives_no_more_than_a_few():
    now = [0.0]
    guesses = Guesses(lambda: now[0])
    now[0] += 86_400

    assert AT_ONCE == sum(guesses.may_try() for _ in range(1000))
