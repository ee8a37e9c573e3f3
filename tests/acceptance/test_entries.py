"""Entries through an MCP client."""

from __future__ import annotations

import json

import anyio
import pytest
from mcp import Client

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]


def write(door, summary="Ann drinks green tea every morning", **more):
    return door(
        "memory_write", **{"summary": summary, "tags": TAGS, "category": "preference", **more}
    )


@pytest.mark.parametrize(("tags", "count"), [([], "0"), (["a", "b"], "2"), (list("abcdef"), "6")])
def test_an_entry_needs_exactly_five_tags(door, tags, count):
    """
    No tags, two or six are refused, and the message names how many there were.
    """
    said = door.refusal("memory_write", summary="Tea", tags=tags, category="other")

    assert f"tags has {count} tags" in said
    assert "exactly 5" in said


@pytest.mark.parametrize(
    "category", ["conversation", "knowledge", "document", "preference", "other"]
)
def test_each_of_the_five_categories_is_taken(door, category):
    """
    The five categories are accepted, and come back as they were given.
    """
    entry = write(door, category=category)

    assert category == door("memory_get", id=entry["id"])["category"]


def test_an_unknown_category_is_refused_by_name(door):
    """
    What is none of the five is refused, with the list of those there are.
    """
    said = door.refusal("memory_write", summary="Tea", tags=TAGS, category="Tee")

    assert "'Tee'" in said
    assert "conversation, knowledge, document, preference, other" in said


def test_an_entry_is_read_by_its_id(door):
    """
    Writing returns an id; under it the same summary and category come back, and under
    an unknown id found is false.
    """
    written = write(door)

    read = door("memory_get", id=written["id"])
    unknown = door("memory_get", id="nobody")

    assert read["found"]
    assert ("Ann drinks green tea every morning", TAGS) == (read["summary"], read["tags"])
    assert "preference" == read["category"]
    assert written["id"] == written["source_id"] == written["timeline_id"]
    assert not unknown["found"]


def test_longer_text_is_kept_with_an_entry(door):
    """
    Context given with the entry, or appended later, becomes chunks and reads back whole.
    """
    first, second = "# Tea\n\nGreen, from Uji.\n", "Never with milk.\n" * 300
    entry = write(door, context_text=first)
    more = door("memory_write_context", timeline_id=entry["id"], context_text=second)

    page = door("memory_get_context", timeline_id=entry["id"], limit=50)
    newest = door("memory_get_context", timeline_id=entry["id"], order="newest")

    assert 1 == len(entry["chunk_ids"])
    assert len(more["chunk_ids"]) >= 2
    assert first + second == "".join(chunk["text"] for chunk in page["chunks"])
    assert page["chunks"][-1] == newest["chunks"][0]
    assert "Never with milk." in door.texts("is milk allowed", kinds=["entry"])[0]


def test_preparing_twice_does_no_harm(door):
    """
    Initialising twice is harmless; settings are there afterwards, and rows are counted.
    """
    write(door)

    first, second = door("memory_init"), door("memory_init")

    assert first["counts"] == second["counts"]
    assert first["settings"] == second["settings"]
    assert 1 == second["counts"]["entries"]
    assert {"group_k": 4, "group_threshold": 0.45, "daemon_interval": 1800} == {
        setting["key"]: setting["value"] for setting in second["settings"][:3]
    }


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        (["a", "b", "c", "d", 5], "tags[4]"),
        (["a", "b", "c", "d", ["e"]], "tags[4]"),
        (["a", "b", "c", "d", " "], "tag 5 is blank"),
        (["a", "b", "c", "d", "A"], "'A' is there twice"),
        ("a, b, c, d, e", "tags"),
    ],
)
def test_tags_that_are_none_are_refused_by_name(door, tags, said):
    """
    Numbers, lists, blanks, repetitions and plain text are refused, and say which it was.
    """
    assert said in door.refusal("memory_write", summary="Tea", tags=tags, category="other")


def test_nothing_is_cut_silently(door):
    """
    A summary of 201 characters is refused with its length; 200 are stored whole.
    """
    said = door.refusal("memory_write", summary="x" * 201, tags=TAGS, category="other")
    kept = write(door, summary="x" * 200)

    assert "201 characters" in said
    assert "x" * 200 == door("memory_get", id=kept["id"])["summary"]


def test_the_old_form_is_one_json_text(door):
    """
    The arguments of the ancestor's tools, one JSON object in data, do the same as ours.
    """
    given = {"summary": "Bob plays chess", "tags": list("abcde"), "category": "other"}
    written = door("memory_write", data=json.dumps(given), project_id="games")
    id = written["id"]

    door(
        "memory_update",
        data=json.dumps({"source_id": id, "summary": "Bob won"}),
        project_id="games",
    )
    read = door("memory_get", data=json.dumps({"entry_id": id}), project_id="games")

    assert ("Bob won", list("abcde")) == (read["summary"], read["tags"])
    assert "tags[0]" in door.refusal(
        "memory_write", data=json.dumps({**given, "tags": [1, 2, 3, 4, 5]})
    )
    assert "there is no such argument" in door.refusal("memory_get", data='{"name": "x"}')


def test_entries_are_found_by_meaning_with_both_scores(door):
    """
    A query returns entries best first: the cosine with the merged vector, and the mean of
    the six cosines, which is smaller.
    """
    tea = write(door)
    door(
        "memory_write",
        summary="The build server is restarted on Mondays",
        tags=["build", "server", "monday", "restart", "ci"],
        category="knowledge",
    )

    (best, *_) = door("memory_query", query="what does Ann drink for breakfast?")["hits"]

    assert tea["id"] == best["source_id"]
    assert 0.15 <= best["score"] <= 1
    assert 0 < best["score_merged"] <= best["score"]
    assert (
        best["source_id"]
        == door("search_memory", query="green tea", kinds=["entry"])["hits"][0]["entry"]["id"]
    )


def test_what_is_time_sensitive_needs_force_to_be_deleted(door):
    """
    A time-sensitive entry would go by itself; deleting it now must be meant. Undo brings
    back what was deleted, its longer text included.
    """
    entry = write(door, is_time_sensitive=True, context_text="Until Friday.")

    said = door.refusal("memory_delete", id=entry["id"])
    gone = door("memory_delete", id=entry["id"], force=True)
    door("undo", batch_id=gone["batch_id"])

    assert "force" in said
    assert 1 == door("memory_get", id=entry["id"])["total_chunks"]


def test_what_has_expired_is_never_returned(door, clock):
    """
    From its hour on an entry is neither read nor found, by any tool, even before
    anything has cleaned it up; and its longer text neither.
    """
    entry = write(
        door, is_time_sensitive=True, ttl_days=2, context_text="The parcel comes on Friday."
    )
    stays = write(door, summary="Ann drinks coffee at noon")
    assert 2 == len(door("memory_query", query="Ann drinks", score_threshold=0)["hits"])

    clock.advance(days=2)

    found = door("memory_query", query="Ann drinks", score_threshold=0)["hits"]
    assert [stays["id"]] == [hit["source_id"] for hit in found]
    assert not door("memory_get", id=entry["id"])["found"]
    assert [] == door.texts("when does the parcel come on Friday", kinds=["document"])
    assert "parcel" not in " ".join(door.texts("parcel Friday"))
    assert ["Ann drinks coffee at noon. " + ", ".join(TAGS)] == door.texts("Ann drinks")
    assert "There is no entry" in door.refusal("memory_get_context", timeline_id=entry["id"])


def test_two_hundred_parallel_writes_are_all_there(door, memory):
    """
    Two hundred writes at once are two hundred rows, each with a vector and each found.
    """

    codes = [f"T{n:03}" for n in range(200)]
    found = {}

    async def write_one(client, code):
        given = {"summary": f"Ticket {code} waits", "tags": TAGS, "category": "other"}
        assert not (await client.call_tool("memory_write", given)).is_error

    async def all_at_once():
        async with Client(door.server) as client:
            async with anyio.create_task_group() as group:
                for code in codes:
                    group.start_soon(write_one, client, code)
            memory.catch_up()
            for code in codes:
                asked = {"query": code, "kinds": ["entry"], "limit": 1}
                answer = await client.call_tool("search_memory", asked)
                found[code] = answer.structured_content["hits"][0]["entry"]["summary"]

    anyio.run(all_at_once)

    status = door("memory_status")
    assert (200, 0) == (status["counts"]["entries"], status["pending"])
    assert {code: f"Ticket {code} waits" for code in codes} == found


def test_rows_of_a_user_come_back_only_to_who_names_the_user(door):
    """
    Without user_id an entry of a user is neither read, found, grouped nor deleted; any
    other part of the scope that is given must match.
    """
    entry = write(door, user_id="ann", agent_id="helper")

    assert not door("memory_get", id=entry["id"])["found"]
    assert not door("memory_get", id=entry["id"], user_id="bob")["found"]
    assert not door("memory_get", id=entry["id"], user_id="ann", agent_id="other")["found"]
    assert door("memory_get", id=entry["id"], user_id="ann")["found"]
    assert [] == door("memory_query", query="green tea")["hits"]
    assert [] == door.texts("green tea")
    assert 1 == len(door("memory_query", query="green tea", user_id="ann")["hits"])
    assert 1 == len(door.texts("green tea", user_id="ann"))
    assert 0 == door("memory_status")["counts"]["entries"]
    assert "There is no entry" in door.refusal("memory_delete", id=entry["id"])


def test_clearing_a_project_clears_its_entries(door):
    """
    After clear_memory nothing of an entry is left, in no count and no search, and writing
    works at once.
    """
    for n in range(4):
        write(door, summary=f"Ann drinks tea {n}", context_text="Always green.")
    door("memory_rebuild_groups")

    door("clear_memory", confirm="default")

    assert {0} == set(door("memory_status")["counts"].values())
    assert [] == door.texts("green tea")
    assert 1 == len(door("memory_query", query=write(door)["summary"])["hits"])


def test_groups_keep_their_ids(door):
    """
    Entries that are alike form a group that can be listed, opened and named by its
    entry, and that keeps its id when groups are made anew.
    """
    alike = [write(door, summary=f"Ann drinks green tea at {n} o'clock") for n in range(7, 12)]
    built = door("memory_rebuild_groups")
    (before,) = door("memory_list_groups")["groups"]
    alike.append(write(door, summary="Ann drinks green tea at noon"))
    assert door("memory_list_groups")["stale"]

    again = door("memory_rebuild_groups")
    (after,) = door("memory_list_groups")["groups"]

    members = door("memory_get_group_members", group_id=after["id"])["members"]
    assert (1, 1) == (built["groups"], again["kept"])
    assert (before["id"], 5, 6) == (after["id"], before["size"], after["size"])
    assert [entry["id"] for entry in alike] == [entry["id"] for entry in members]
    (group,) = door("memory_get_groups", entry_id=alike[0]["id"])["groups"]
    assert after == group


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("memory_get", "id"),
        ("memory_update", "id"),
        ("memory_delete", "id"),
        ("memory_get_context", "timeline_id"),
        ("memory_write_context", "timeline_id"),
        ("memory_get_groups", "entry_id"),
    ],
)
def test_an_id_that_is_not_given_is_asked_for_by_its_name(door, tool, name):
    """
    "There is no entry ''" says nothing about which argument was forgotten; nor does found = false.
    """
    for arguments in ({}, {"data": "{}"}):
        assert f"'{name}' is required" in door.refusal(tool, **arguments)
