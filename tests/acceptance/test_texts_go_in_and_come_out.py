from __future__ import annotations

import pytest


@pytest.fixture
def ann(tool_client):
    tool_client("create_entity", name="Ann", node_type="person")
    return "ann"


def test_the_last_line_of_a_very_long_observation_is_found(tool_client, memory, ann):
    words = "the weekly build report lists nothing new " * 700
    tool_client(
        "add_observation", entity_id=ann, content=f"{words}\nThe zebra keeps the vault key."
    )
    memory.catch_up()
    for n in range(20):
        tool_client("add_observation", entity_id=ann, content=f"a short note number {n}")

    lexical = tool_client.texts("zebra vault key", channel_weights={"vector": 0})
    semantic = tool_client.texts("which animal has the key?", channel_weights={"lexical": 0})

    assert "The zebra keeps the vault key." in lexical[0]
    assert "The zebra keeps the vault key." in semantic[0]


def test_search_matches_both_unicode_normalization_forms(tool_client, ann):
    tool_client("add_observation", entity_id=ann, content="met at the cafe\u0301")

    assert ["met at the café"] == tool_client.texts("café", kinds=["observation"])
    assert ["met at the café"] == tool_client.texts("cafe\u0301", kinds=["observation"])


@pytest.mark.parametrize("query", ["部署", "部", "方案"])
def test_chinese_is_found_by_one_or_two_characters(tool_client, ann, query):
    tool_client("add_observation", entity_id=ann, content="今天讨论了部署方案")
    tool_client("add_observation", entity_id=ann, content="天气很好")

    found = tool_client.texts(query, channel_weights={"vector": 0})

    assert ["今天讨论了部署方案"] == found


@pytest.mark.parametrize("text", ['{"x": 1}', "null", "123", "true", "[1, 2]", '"quoted"'])
def test_text_that_looks_like_json_stays_text(tool_client, ann, text):
    added = tool_client("add_observation", entity_id=ann, content=text)

    assert text == added["observation"]["content"]
    assert (
        text == tool_client("get_hologram", node_id=ann)["nodes"][0]["observations"][0]["content"]
    )


def test_lone_surrogates_are_handled(tool_client, ann):
    tool_client("add_observation", entity_id=ann, content="broken \ud83d emoji here")

    assert ["broken ? emoji here"] == tool_client.texts("emoji \ud83d", kinds=["observation"])


def test_lone_surrogate_in_an_id_returns_clear_error(tool_client, ann):
    assert "half of a surrogate pair" in tool_client.refusal("acknowledge_bottle", id="\ud83d")


def test_emoji_round_trip_unchanged(tool_client, ann):
    tool_client("add_observation", entity_id=ann, content="ship it 🚀 today")

    assert ["ship it 🚀 today"] == tool_client.texts("🚀", kinds=["observation"])


def test_a_query_of_a_hundred_kilobytes_is_answered(tool_client, ann):
    tool_client("add_observation", entity_id=ann, content="the kettle is broken")
    query = "kettle " + "filler words of a pasted page " * 3500

    assert len(query) > 100_000
    assert "the kettle is broken" in tool_client.texts(query)


@pytest.mark.parametrize(
    "query",
    ['"unclosed', "a AND (b", "NEAR(x", "what? - really!", "'; drop table entities; --", "*", "🎉"],
)
def test_any_text_is_a_valid_query(tool_client, ann, query):
    tool_client("add_observation", entity_id=ann, content="likes tea")
    found = tool_client("search_memory", query=query)

    assert ["lexical", "vector"] == sorted(found["channels"])


def test_a_small_project_next_to_a_large_one_is_searched_completely(tool_client):
    tool_client("create_entity", name="Big", node_type="project", project_id="A")
    facts = [{"entity_id": "big", "content": f"the build takes {n} minutes"} for n in range(1000)]
    tool_client("add_observations", observations=facts, project_id="A")
    tool_client("create_entity", name="Board", node_type="project", project_id="vt-firmware")
    for n in range(3):
        tool_client(
            "add_observation",
            entity_id="board",
            content=f"the build takes {n} hours",
            project_id="vt-firmware",
        )

    found = tool_client(
        "search_memory",
        query="how long does the build take?",
        project_id="vt-firmware",
        kinds=["observation"],
    )

    assert 3 == len(found["hits"])
    assert {"vt-firmware"} == {hit["project_id"] for hit in found["hits"]}
