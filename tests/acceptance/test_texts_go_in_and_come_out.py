"""Every kind of text is stored as it is given and found by what people type."""

from __future__ import annotations

import pytest


@pytest.fixture
def ann(door):
    door("create_entity", name="Ann", node_type="person")
    return "ann"


def test_the_last_line_of_a_very_long_observation_is_found(door, memory, ann):
    """
    Nothing is cut off: a fact at the end of 5,000 words is found, by words and by meaning.
    """
    words = "the weekly build report lists nothing new " * 700
    door("add_observation", entity_id=ann, content=f"{words}\nThe zebra keeps the vault key.")
    memory.catch_up()
    for n in range(20):
        door("add_observation", entity_id=ann, content=f"a short note number {n}")

    lexical = door.texts("zebra vault key", channel_weights={"vector": 0})
    semantic = door.texts("which animal has the key?", channel_weights={"lexical": 0})

    assert "The zebra keeps the vault key." in lexical[0]
    assert "The zebra keeps the vault key." in semantic[0]


def test_both_unicode_forms_of_a_word_find_each_other(door, ann):
    """
    A composed and a decomposed é are one letter, stored and asked.
    """
    door("add_observation", entity_id=ann, content="met at the cafe\u0301")

    assert ["met at the café"] == door.texts("café", kinds=["observation"])
    assert ["met at the café"] == door.texts("cafe\u0301", kinds=["observation"])


@pytest.mark.parametrize("query", ["部署", "部", "方案"])
def test_chinese_is_found_by_one_or_two_characters(door, ann, query):
    """
    No spaces are needed between words that have none.
    """
    door("add_observation", entity_id=ann, content="今天讨论了部署方案")
    door("add_observation", entity_id=ann, content="天气很好")

    found = door.texts(query, channel_weights={"vector": 0})

    assert ["今天讨论了部署方案"] == found


@pytest.mark.parametrize("text", ['{"x": 1}', "null", "123", "true", "[1, 2]", '"quoted"'])
def test_text_that_looks_like_json_stays_text(door, ann, text):
    """
    Whatever it looks like, it arrives as it was written.
    """
    added = door("add_observation", entity_id=ann, content=text)

    assert text == added["observation"]["content"]
    assert text == door("get_hologram", node_id=ann)["nodes"][0]["observations"][0]["content"]


def test_half_a_surrogate_pair_does_no_harm(door, ann):
    """
    What is no text is replaced, and the rest is kept and found.
    """
    door("add_observation", entity_id=ann, content="broken \ud83d emoji here")

    assert ["broken ? emoji here"] == door.texts("emoji \ud83d", kinds=["observation"])


def test_half_a_surrogate_pair_in_an_id_is_refused_in_words(door, ann):
    """
    It names nothing that could be there; SQLite has no way even to ask for it.
    """
    assert "half of a surrogate pair" in door.refusal("acknowledge_bottle", id="\ud83d")


def test_an_emoji_goes_in_and_comes_out(door, ann):
    """
    Characters beyond the first plane are letters like any other.
    """
    door("add_observation", entity_id=ann, content="ship it 🚀 today")

    assert ["ship it 🚀 today"] == door.texts("🚀", kinds=["observation"])


def test_a_query_of_a_hundred_kilobytes_is_answered(door, ann):
    """
    A pasted page is an ordinary query.
    """
    door("add_observation", entity_id=ann, content="the kettle is broken")
    query = "kettle " + "filler words of a pasted page " * 3500

    assert len(query) > 100_000
    assert "the kettle is broken" in door.texts(query)


@pytest.mark.parametrize(
    "query",
    ['"unclosed', "a AND (b", "NEAR(x", "what? - really!", "'; drop table entities; --", "*", "🎉"],
)
def test_any_text_is_a_query(door, ann, query):
    """
    No query is syntax, and no channel goes missing because of one.
    """
    door("add_observation", entity_id=ann, content="likes tea")
    found = door("search_memory", query=query)

    assert ["lexical", "vector"] == sorted(found["channels"])


def test_a_tiny_project_beside_a_large_one_is_found_whole(door):
    """
    A thousand rows of another project do not push three rows out of an answer.
    """
    door("create_entity", name="Big", node_type="project", project_id="A")
    facts = [{"entity_id": "big", "content": f"the build takes {n} minutes"} for n in range(1000)]
    door("add_observations", observations=facts, project_id="A")
    door("create_entity", name="Board", node_type="project", project_id="vt-firmware")
    for n in range(3):
        door(
            "add_observation",
            entity_id="board",
            content=f"the build takes {n} hours",
            project_id="vt-firmware",
        )

    found = door(
        "search_memory",
        query="how long does the build take?",
        project_id="vt-firmware",
        kinds=["observation"],
    )

    assert 3 == len(found["hits"])
    assert {"vt-firmware"} == {hit["project_id"] for hit in found["hits"]}
