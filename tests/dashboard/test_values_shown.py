"""Tables, charts, words and hits: values in, something to look at out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dashboard import charts, tables
from dashboard.components import formatting
from dashboard.components.elements import part
from dashboard.search.hits import describe_channels, excerpt, highlight, hit_parts
from memory_core import Settings
from memory_core.model.search.results import Explanation, HitEntity, Passage, SearchHit

NOW = datetime(2026, 3, 8, 12, tzinfo=UTC)
TOOK = {"load": 0.9, "embed": 5.1, "lexical": 1.2, "total": 9.8}


def hit(**more):
    values = {
        "kind": "observation",
        "id": "o1",
        "project_id": "p",
        "score": 0.83,
        "entity": HitEntity(id="api", name="Orders API", node_type="service"),
        "passages": [Passage(text="Retries were moved to the queue.")],
        "created_at": NOW - timedelta(hours=2),
        "explain": Explanation(vector_rank=1, vector_score=0.71, lexical_rank=0, link=0.3),
    }
    return SearchHit(**{**values, **more})


def words_marked(text, query):
    return [each["inside"][0] for each in highlight(text, query) if isinstance(each, dict)]


def test_the_words_of_the_question_are_marked():
    found = words_marked(
        "Retries were moved to the queues, the Caf\u00e9 was not.", "why were the retry queue cafe"
    )

    assert ["queues", "Caf\u00e9"] == found


def test_a_double_s_is_no_ending():
    assert ["missed"] == words_marked("They missed the boat.", "Why did people miss it?")


def test_a_script_without_spaces_is_marked_inside_its_words():
    assert ["\u90e8\u7f72"] == words_marked(
        "\u4eca\u5929\u8ba8\u8bba\u4e86\u90e8\u7f72\u65b9\u6848", "\u90e8\u7f72"
    )


@pytest.mark.parametrize("text", ["", "<mark>no</mark>", "a  b\n c", "x" * 2000])
def test_marking_loses_nothing(text):
    joined = "".join(
        p if isinstance(p, str) else p["inside"][0] for p in highlight(text, "mark b x")
    )

    assert text == joined


def test_a_long_passage_is_cut_round_its_words():
    shown = excerpt("filler " * 300 + "the queue broke " + "filler " * 300, "queue", 100)

    assert "queue" in shown
    assert 100 <= len(shown) <= 102


def test_a_hit_tells_where_its_score_comes_from():
    assert "vector #1 (0.71) \u00b7 entity +0.30" == describe_channels(hit().explain)
    assert "" == describe_channels(None)


def test_a_hit_leads_to_its_entity():
    shown = str(hit_parts(hit(), 1, query="queue", theme="light", now=NOW))

    assert "'pick': 'entity\\np\\napi'" in shown
    assert "pick" not in str(
        hit_parts(hit(entity=None, kind="document"), 1, query="queue", theme="dark", now=NOW)
    )


def test_a_colour_must_be_one():
    with pytest.raises(ValueError, match="is no colour"):
        part("span", "", "text", colour="red; background: url(http://127.0.0.9)")


def test_hits_as_a_table():
    table = tables.hits_table([hit()])

    assert ["Orders API"] == list(table["About"])
    assert 1 == table["Vector rank"][0]
    assert table["bm25"].isna().all()


def test_settings_that_somebody_set_come_first():
    settings = Settings.load(mcp_token="long enough secret".replace(" ", "-"))
    table = tables.settings_table(settings.sources())

    first = table.iloc[0]
    assert ("MCP_TOKEN", "(set)", "flag") == (first["Setting"], first["Value"], first["From"])


def test_the_strip_shows_each_stage_in_the_order_it_runs():
    assert ["embed", "lexical", "load"] == [
        bar.name for bar in charts.stage_strip(TOOK, "dark").data
    ]


def test_bars_name_the_most_frequent_type_on_top():
    bars = charts.type_bars({"bug": 2, "person": 1500}, "light").data[0]

    assert ("bug", "person") == tuple(bars.y)
    assert ("2", "1\u2009500") == tuple(bars.text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "now"), (59, "59 s ago"), (3600, "1 h ago"), (90_000, "1 d ago"), (1e7, "12 Nov 2025")],
)
def test_times_are_told_as_people_do(seconds, text):
    assert text == formatting.ago(NOW - timedelta(seconds=seconds), NOW)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123, "0.12 ms"), (9.84, "9.8 ms"), (420.4, "420 ms"), (5_220, "5.2 s"), (12_345, "12.3 s")],
)
def test_durations_have_sensible_digits(value, text):
    assert text == formatting.milliseconds(value)


def test_counts_and_sizes():
    assert "3\u2009412" == formatting.number(3412)
    assert ["1 entity", "2 entities"] == [
        formatting.format_count(n, "entity", "entities") for n in (1, 2)
    ]
    assert ["12 B", "1.5 MB"] == [formatting.size(n) for n in (12, 1_500_000)]
