"""The command itself, on a conversation made up here and with vectors of hashed words."""

from __future__ import annotations

import json

import pytest

from benchmarks import datasets, retrieval
from benchmarks.corpus import HashingEmbedder
from benchmarks.store import recipe_and_settings
from memory_core.model.search.recipe import Recipe
from memory_core.search.embedder import loaded_embedder

SAID = [
    ("Ana", "I planted a pear tree by the well."),
    ("Bo", "The boat needs new paint."),
    ("Ana", "My sister plays the cello."),
    ("Bo", "I am learning to bake bread."),
]
ASKED = [
    ("What did Ana plant?", "D1:1"),
    ("What does the boat need?", "D1:2"),
    ("Who plays the cello?", "D1:3"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(
        retrieval, "choose_engine", lambda *asked: loaded_embedder(HashingEmbedder())
    )
    talk = {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": who, "dia_id": f"D1:{number}", "text": text}
                for number, (who, text) in enumerate(SAID, 1)
            ],
        },
        "observation": {},
        "qa": [{"question": text, "evidence": [id], "category": 4} for text, id in ASKED],
    }
    (tmp_path / datasets.LOCOMO).write_text(json.dumps([talk]))
    return tmp_path


def run(folder, *options: str, suite: str = "locomo-turns") -> int:
    return retrieval.main(["--suite", suite, "--data", str(folder), *options])


def test_result_file_contains_gold_ranks_and_configuration(folder):
    assert 0 == run(folder, "--json", str(folder / "out.json"))

    result = json.loads((folder / "out.json").read_text())
    ranks = [rank for record in result["records"] for rank in record["ranks"]]
    assert 3 == len(ranks)
    assert set(ranks) <= {1, 2, 3, 4}
    assert {"commit", "model", "data", "settings", "seed", "threads"} <= set(result["fingerprint"])


def test_result_below_the_floor_exits_with_one(folder, capsys):
    assert 0 == run(folder, "--fail-below", "100")
    assert 1 == run(folder, "--fail-below", "100.5")

    assert "recall@10 is 100.0, below 100.5" in capsys.readouterr().out


def test_missing_data_sets_are_skipped_with_notice(folder, capsys):
    assert 0 == run(folder, suite="longmemeval")

    assert "skipped: longmemeval" in capsys.readouterr().out


def test_a_run_is_compared_with_an_earlier_one(folder, capsys):
    kept = str(folder / "out.json")
    run(folder, "--json", kept)

    run(folder, "--baseline", kept)

    assert "recall@10: +0.00 points [+0.00, +0.00] over 3 questions" in capsys.readouterr().out


def test_server_tool_returns_the_same_results(folder, capsys):
    assert 0 == run(folder, "--through", "mcp", "--fail-below", "100")

    assert "through mcp: 4 rows, 3 questions" in capsys.readouterr().out


def test_unknown_weights_are_rejected_by_name(folder):
    with pytest.raises(ValueError, match="there is no 'densse'"):
        run(folder, "--config", "densse=1")


def test_weights_apply_to_both_query_methods():
    recipe, settings = recipe_and_settings(
        ["salience_boost=0.05", "fusion=rrf", 'recipe={"pool": 50}']
    )

    assert Recipe(salience_boost=0.05, fusion="rrf", pool=50) == recipe
    assert recipe == settings.ranking()


def test_cached_embeddings_are_reused(folder, capsys):
    cache = str(folder / "vectors.npz")
    run(folder, "--cache", cache)
    capsys.readouterr()

    run(folder, "--cache", cache)

    assert "encoded: 0.00" in capsys.readouterr().out
