from __future__ import annotations

from datetime import date

import pytest

from memory_core.rules.text.dates import NamedDate, date_proximity, day_words, find_dates


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What happened on 7 May 2023?", [NamedDate(2023, 5, 7)]),
        ("the 3rd of June", [NamedDate(0, 6, 3)]),
        ("on March 12th, 2026", [NamedDate(2026, 3, 12)]),
        ("in August 2025", [NamedDate(2025, 8)]),
        ("since January", [NamedDate(0, 1)]),
        ("in May", [NamedDate(0, 5)]),
        ("what may go wrong", []),
        ("2024-02-29", [NamedDate(2024, 2, 29)]),
        ("plans for 2027", [NamedDate(2027)]),
        ("Sept 3", [NamedDate(0, 9, 3)]),
        ("2024-13-45", []),
        ("room 42", []),
    ],
)
def test_common_date_formats_are_parsed(query, named):
    assert named == find_dates(query)


def test_the_named_day_is_nearest():
    named = [NamedDate(2026, 3, 12)]

    on, after, before = (date_proximity(date(2026, 3, day), named, days=10) for day in (12, 14, 11))

    assert 1.0 == on
    assert after == pytest.approx(before)
    assert 0.0 == date_proximity(date(2026, 3, 12), [], days=10)


def test_a_month_without_a_year_is_that_month_of_any_year():
    named = [NamedDate(0, 6)]

    assert [1.0, 1.0] == [
        date_proximity(date(year, 6, 30), named, days=10) for year in (2025, 2026)
    ]
    assert 0.1 > date_proximity(date(2026, 1, 1), named, days=10)


def test_impossible_days_match_nothing():
    assert 0.0 == date_proximity(date(2026, 2, 28), [NamedDate(2026, 2, 30)], days=10)


def test_day_words_match_common_spellings():
    assert "12 march 2026" == day_words("2026-03-12T09:30:00.000000Z")
    assert "" == day_words("")
