from __future__ import annotations

import math

import pytest

from benchmarks.metrics import (
    Record,
    by_category,
    compare,
    figures,
    from_json,
    gold_ranks,
    percentile,
    summary,
)
from benchmarks.metrics import as_json as record_as_json


def record(number: int, *ranks: int | None, category: str = "plain") -> Record:
    return Record(f"q{number}", "talk", category, ranks)


def test_missing_gold_rows_have_no_rank():
    ranking = ["x", "b", "y"]

    assert (None, 2) == gold_ranks(ranking, frozenset({"b", "a"}))


def test_duplicate_rows_count_at_their_first_rank():
    assert (1,) == gold_ranks(["a", "b", "a"], frozenset({"a"}))


def test_all_metrics_are_computed_from_ranks():
    got = figures([2, 7])

    gain = 1 / math.log2(3) + 1 / math.log2(8)
    ideal = 1 + 1 / math.log2(3)
    assert {
        "recall@5": 0.5,
        "recall@10": 1.0,
        "recall@50": 1.0,
        "hit@5": 1.0,
        "hit@10": 1.0,
        "all@10": 1.0,
        "mrr": 0.5,
        "ndcg@10": pytest.approx(gain / ideal),
    } == got


def test_empty_results_score_zero():
    assert {0.0} == set(figures([None, None]).values())


def test_the_summary_is_the_mean_over_questions_and_splits_by_category():
    records = [record(1, 1, category="a"), record(2, None, category="b")]

    assert 0.5 == summary(records)["mrr"]
    assert {"a": 1.0, "b": 0.0} == {k: v["mrr"] for k, v in by_category(records).items()}


def test_consistent_gain_is_significant():
    ours = [record(n, 1) for n in range(20)]
    theirs = [record(n, None) for n in range(20)]

    got = compare(ours, theirs)

    assert (1.0, 1.0, 1.0, 20) == (got.gain, got.low, got.high, got.questions)
    assert got.is_certain


def test_cancelling_gains_are_not_significant():
    ours = [record(n, 1 if n % 2 else None) for n in range(20)]
    theirs = [record(n, None if n % 2 else 1) for n in range(20)]

    got = compare(ours, theirs)

    assert 0.0 == got.gain
    assert not got.is_certain


def test_only_questions_of_both_runs_are_compared():
    assert 1 == compare([record(1, 1), record(2, 1)], [record(2, 1)]).questions
    with pytest.raises(ValueError, match="share no question"):
        compare([record(1, 1)], [record(2, 1)])


def test_a_record_survives_the_result_file():
    kept = record(3, 4, None)

    assert kept == from_json(record_as_json(kept))


def test_percentiles_are_values_that_occurred():
    assert 19 == percentile(list(range(1, 21)), 0.95)
    assert 0.0 == percentile([], 0.5)
