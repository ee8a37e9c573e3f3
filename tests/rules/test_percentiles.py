from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core import ValidationError
from memory_core.rules.percentiles import histogram_edges, percentile
from memory_core.rules.time_windows import parse_window


@given(st.lists(st.floats(0, 1e9), min_size=1), st.floats(0.001, 100))
def test_percentiles_use_the_nearest_rank(values, percent):
    found = percentile(sorted(values), percent)

    def share(value):
        return 100 * sum(other <= value for other in values) / len(values)

    assert found in values
    assert share(found) >= percent - 1e-9
    assert all(share(smaller) < percent for smaller in values if smaller < found)


def test_known_percentiles():
    hundred = list(range(1, 101))

    assert [50, 90, 95, 99, 100] == [percentile(hundred, p) for p in (50, 90, 95, 99, 100)]
    assert 7 == percentile([7], 1) == percentile([7], 99)
    assert 0 == percentile([], 50)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15m", timedelta(minutes=15)),
        ("24h", timedelta(hours=24)),
        (" 7 D ", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
        ("30s", timedelta(seconds=30)),
    ],
)
def test_common_time_windows_are_parsed(text, expected):
    assert expected == parse_window(text)


@pytest.mark.parametrize(
    "nonsense", ["", "24", "h", "0h", "-1h", "1.5h", "1y", "24h24h", "9" * 30 + "d", "99999w", "२h"]
)
def test_invalid_windows_are_rejected(nonsense):
    with pytest.raises(ValidationError, match="15m, 1h, 24h"):
        parse_window(nonsense)


@given(
    st.floats(0, 100_000, allow_nan=False),
    st.floats(0, 100_000, allow_nan=False),
)
def test_histogram_edges_contain_their_range(one, other):
    shortest, longest = min(one, other), max(one, other)
    bounds = histogram_edges(shortest, longest)

    assert bounds[0] <= shortest < bounds[1]
    assert bounds[-2] <= longest < bounds[-1]
    assert bounds == sorted(set(bounds))
