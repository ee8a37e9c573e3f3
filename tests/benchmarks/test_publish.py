"""Tables of the page are written from result files, and only where there is a result."""

from __future__ import annotations

import json

import pytest

from benchmarks import publish

PAGE = "\n".join(
    line
    for name in publish.TABLES
    for line in (f"<!-- {name} -->", "old", f"<!-- end of {name} -->")
)


@pytest.fixture
def results(tmp_path):
    figures = {"recall@5": 0.5, "recall@10": 0.75, "recall@50": 1.0, "mrr": 0.4}
    result = {
        "suite": "locomo-turns",
        "scope": "project",
        "figures": figures,
        "plain": dict.fromkeys(publish.PLAIN, figures),
        "categories": {"temporal": figures},
    }
    (tmp_path / "bench-locomo-turns.json").write_text(json.dumps(result))
    (tmp_path / "page.md").write_text(PAGE)
    return tmp_path


def test_a_table_is_written_from_its_result(results):
    assert 0 == publish.main([str(results), "--page", str(results / "page.md")])

    page = (results / "page.md").read_text()
    assert "| locomo-turns dev | recall@10 | 62.5 | **75.0** | 80.0 (below) | 84.0 | 9.0 |" in page
    assert "| temporal | 50.0 | 75.0 | 100.0 | 0.400 |" in page


def test_a_table_without_a_result_stays(results):
    publish.main([str(results), "--page", str(results / "page.md")])

    assert "<!-- speed -->\nold\n<!-- end of speed -->" in (results / "page.md").read_text()


def test_fact_tables_list_every_query_method(tmp_path):
    ways = {"cosine alone": {"questions": 30, "first": 22, "among three": 27}}
    (tmp_path / "bench-facts.json").write_text(json.dumps({"facts": {"a person": ways}}))
    (tmp_path / "page.md").write_text(PAGE)

    publish.main([str(tmp_path), "--page", str(tmp_path / "page.md")])

    assert "| a person | 30 | 22 / 27 |" in (tmp_path / "page.md").read_text()


def test_pages_without_markers_are_rejected():
    with pytest.raises(ValueError, match="no markers <!-- goals -->"):
        publish.between("nothing", "goals", ["x"])


def test_page_timings_are_shown_next_to_an_empty_memory(tmp_path):
    row = {
        "page": "time_travel",
        "first_ms": 1234.4,
        "second_ms": 800.0,
        "first_times_empty": 1.5,
        "second_times_empty": 1.0,
        "cpu_first_ms": 250.0,
        "cpu_second_ms": 100.0,
    }
    (tmp_path / "bench-dashboard.json").write_text(json.dumps({"pages": [row]}))
    (tmp_path / "page.md").write_text(PAGE)

    assert 0 == publish.main([str(tmp_path), "--page", str(tmp_path / "page.md")])

    page = (tmp_path / "page.md").read_text()
    assert "| time travel | 1,234 | 1.50 | 800 | 1.00 | **250** | 100 |" in page
