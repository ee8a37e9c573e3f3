"""The page of the latencies: figures, charts with their tables, the slowest searches."""

from __future__ import annotations

import pytest

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted"'


def title(app):
    return app.title[0].value


def table_with(app, column):
    assert not app.exception
    return next(each.value for each in app.dataframe if column in each.value)


def metrics(app):
    return {each.label: each.value for each in app.metric}


@pytest.fixture
def searched(its_demonstration):
    """A memory in which some searches found something, one nothing, and one was refused."""
    search = its_demonstration.search.search_memory
    for query in ("seat hold", "seat hold", "ferry", TRAP):
        search(query, project_id="harbour")
    search("ferry", project_id="missing")
    with pytest.raises(ValueError), its_demonstration.telemetry.trace("search"):
        raise ValueError
    return its_demonstration


def test_an_empty_page_says_what_it_will_show(visit, its_memory):
    app = visit("latency")

    assert not app.exception
    assert "Nothing was searched in the last 24 hours" == title(app)
    assert any("Every search leaves its time" in text.value for text in app.markdown)


def test_searches_are_counted_and_rated(visit, searched):
    app = visit("latency")

    assert not app.exception
    assert title(app).startswith("6 searches in the last 24 hours, half of them within ")
    assert "16.7 %" == metrics(app)["Errors"]
    assert "20.0 %" == metrics(app)["Found nothing"]


def test_every_chart_has_its_table(visit, searched):
    app = visit("latency")
    stages, steps, bars = (table_with(app, name) for name in ("Stage", "From", "From, ms"))

    assert "total" == stages["Stage"][0]
    assert {"p50", "p90", "p95", "p99"} <= set(stages)
    assert (5, 1) == (steps["Count"].sum(), steps["Errors"].sum())
    assert 5 == bars["Searches"].sum()
    assert 3 == len(app.get("plotly_chart"))


def test_one_stage_is_shown_over_time(visit, searched):
    app = visit("latency")
    next(box for box in app.selectbox if box.label == "Stage").set_value("lexical").run()

    stats = searched.statistics.search_stats("24h")
    assert stats.stages["lexical"].count == table_with(app, "From")["Count"].sum()


def test_the_slowest_searches_say_what_was_asked(visit, searched):
    app = visit("latency")

    assert {"seat hold", "ferry", TRAP} == set(table_with(app, "Query")["Query"])
    kinds = ("title", "subheader", "markdown", "caption", "error", "warning", "info")
    read = [element.value for kind in kinds for element in app.get(kind)]
    assert [] == [text for text in read if "alert(1)" in text]


def test_the_project_and_the_window_bound_what_is_counted(visit, searched):
    app = visit("latency", project="vt-firmware")
    other = title(app)
    app = visit("latency", latency_window="15m")

    assert "Nothing was searched in the last 24 hours" == other
    assert "in the last 15 minutes" in title(app)


def test_tools_are_listed_with_their_errors(visit, searched):
    tools = table_with(visit("latency"), "Error rate")

    assert {"search": 1} == dict(zip(tools["Tool"], tools["Errors"], strict=True))


def test_queries_that_are_not_kept_are_explained(visit, monkeypatch, searched):
    monkeypatch.setattr(
        searched, "settings", searched.settings.model_copy(update={"trace_queries": False})
    )
    app = visit("latency")

    assert any("TRACE_QUERIES" in text.value for text in app.markdown)
