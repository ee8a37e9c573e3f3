"""The speed program's parts, and that it runs at a size that takes a moment. No clock is judged."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import bare, corpus, speed
from benchmarks.corpus import HashingEmbedder
from benchmarks.start import command_start


def test_generated_store_is_deterministic_for_a_seed():
    assert corpus.rows(50) == corpus.rows(50)
    assert corpus.rows(50) != corpus.rows(50, seed=12)
    assert corpus.queries(5) == corpus.queries(5)


def test_generated_word_frequencies_are_uneven():
    rows = corpus.rows(2_000)
    frequent = corpus.vocabulary()[0]

    share = sum(frequent in row.text.lower().rstrip(".").split() for row in rows) / len(rows)
    assert 0.25 < share < 0.5


def test_hashed_vectors_are_unit_length_and_reflect_shared_words():
    same, again, other = HashingEmbedder().embed(["pear tree", "tree pear", "boat paint"])

    assert np.isclose(1.0, same @ again, atol=1e-5)
    assert abs(float(same @ other)) < 0.3


def test_every_component_is_measured():
    rows, queries = corpus.rows(300), corpus.queries(3)
    embedder = HashingEmbedder()
    vectors, asked = embedder.embed([row.text for row in rows]), embedder.embed(queries)

    measured = [
        bare.encode(embedder, queries),
        bare.full_text(rows, queries),
        bare.brute_force(vectors, asked),
        bare.turbovec(vectors, asked),
    ]

    assert [{"p50", "p95"}] * 4 == [set(cost) for cost in measured]


def test_goals_report_met_or_the_shortfall():
    assert "goal 3 ms: met" == speed.verdict(2.5, 3, "ms")
    assert "goal 3 ms: missed by 3.00, 2.0 times" == speed.verdict(6, 3, "ms")


def test_a_small_run_prints_and_writes_its_tables(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(speed, "ASKED", 5)
    monkeypatch.setattr(speed, "WARM", 2)
    out = tmp_path / "speed.json"

    given = ["--sizes", "300", "--no-write", "--no-start", "--json", str(out)]
    assert 0 == speed.main(given)

    assert "search in 300 rows" in capsys.readouterr().out
    (size,) = json.loads(out.read_text())["sizes"]
    assert {"fts5", "numpy", "turbovec"} == set(size["alone"])


@pytest.mark.process
def test_command_start_time_is_shown_next_to_bare_python(tmp_path):
    figures = command_start(tmp_path / "memory.db")

    assert 0 < figures["python_cpu_s"]
    assert {"import_mcp_ratio", "cli_help_ratio", "cli_list_ratio"} <= set(figures)
    assert (tmp_path / "memory.db").exists()
