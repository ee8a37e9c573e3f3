from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.graph.salience import LOW, salience

counts = st.integers(0, 10**6)
days = st.floats(0, 10**5)


@given(counts, counts, days)
def test_salience_rises_with_use_degree_and_recency(retrievals, degree, idle_days):
    here = salience(retrievals=retrievals, degree=degree, idle_days=idle_days)

    assert 0 <= here <= 1
    assert here <= salience(retrievals=retrievals + 1, degree=degree, idle_days=idle_days)
    assert here <= salience(retrievals=retrievals, degree=degree + 1, idle_days=idle_days)
    assert here >= salience(retrievals=retrievals, degree=degree, idle_days=idle_days + 1)


def test_only_old_unused_isolated_entities_have_low_salience():
    assert salience(retrievals=0, degree=0, idle_days=90) < LOW
    assert salience(retrievals=0, degree=0, idle_days=7) > LOW
    assert salience(retrievals=0, degree=10, idle_days=365) > LOW
