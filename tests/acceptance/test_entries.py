"""Entries through an MCP client."""

from __future__ import annotations

import json

import anyio
import pytest
from mcp import Client

from memory_core.server.calls.registry import TOOLS, listing

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]


def write(tool_client, summary="Ann drinks green tea every morning", **more):
    return tool_client(
        "memory_write", **{"summary": summary, "tags": TAGS, "category": "preference", **more}
    )


@pytest.mark.parametrize(("tags", "count"), [([], "0"), (["a", "b"], "2"), (list("abcdef"), "6")])
def test_an_entry_needs_exactly_five_tags(tool_client, tags, count):
    said = tool_client.refusal("memory_write", summary="Tea", tags=tags, category="other")

    assert f"{count} tags were given" in said
    assert "exactly 5" in said


@pytest.mark.parametrize(
    "category", ["conversation", "knowledge", "document", "preference", "other"]
)
def test_all_five_categories_are_accepted(tool_client, category):
    entry = write(tool_client, category=category)

    assert category == tool_client("memory_get", id=entry["id"])["category"]


def test_an_unknown_category_is_refused_by_name(tool_client):
    said = tool_client.refusal("memory_write", summary="Tea", tags=TAGS, category="Tee")

    assert "'Tee'" in said
    assert "conversation, knowledge, document, preference, other" in said


def test_an_entry_is_read_by_its_id(tool_client):
    written = write(tool_client)

    read = tool_client("memory_get", id=written["id"])
    unknown = tool_client("memory_get", id="missing")

    assert read["found"]
    assert ("Ann drinks green tea every morning", TAGS) == (read["summary"], read["tags"])
    assert "preference" == read["category"]
    assert written["id"] == written["source_id"] == written["timeline_id"]
    assert not unknown["found"]


def test_longer_text_is_kept_with_an_entry(tool_client):
    first, second = "# Tea\n\nGreen, from Uji.\n", "Never with milk.\n" * 300
    entry = write(tool_client, context_text=first)
    more = tool_client("memory_write_context", timeline_id=entry["id"], context_text=second)

    page = tool_client("memory_get_context", timeline_id=entry["id"], limit=50)
    newest = tool_client("memory_get_context", timeline_id=entry["id"], order="newest")

    assert 1 == len(entry["chunk_ids"])
    assert len(more["chunk_ids"]) >= 2
    assert first + second == "".join(chunk["text"] for chunk in page["chunks"])
    assert page["chunks"][-1] == newest["chunks"][0]
    assert "Never with milk." in tool_client.texts("is milk allowed", kinds=["entry"])[0]


def test_init_is_idempotent(tool_client):
    write(tool_client)

    first, second = tool_client("memory_init"), tool_client("memory_init")

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
        (["a", "b", "c", "d", "A"], "'A' occurs twice"),
        ("a, b, c, d, e", "tags"),
    ],
)
def test_invalid_tags_are_rejected_by_name(tool_client, tags, said):
    assert said in tool_client.refusal("memory_write", summary="Tea", tags=tags, category="other")


def test_overlong_input_is_rejected_not_truncated(tool_client):
    said = tool_client.refusal("memory_write", summary="x" * 201, tags=TAGS, category="other")
    kept = write(tool_client, summary="x" * 200)

    assert "201 characters" in said
    assert "x" * 200 == tool_client("memory_get", id=kept["id"])["summary"]


def test_legacy_form_returns_json_text(tool_client):
    given = {"summary": "Bob plays chess", "tags": list("abcde"), "category": "other"}
    written = tool_client("memory_write", data=json.dumps(given), project_id="games")
    id = written["id"]

    tool_client(
        "memory_update",
        data=json.dumps({"source_id": id, "summary": "Bob won"}),
        project_id="games",
    )
    read = tool_client("memory_get", data=json.dumps({"entry_id": id}), project_id="games")

    assert ("Bob won", list("abcde")) == (read["summary"], read["tags"])
    assert "tags[0]" in tool_client.refusal(
        "memory_write", data=json.dumps({**given, "tags": [1, 2, 3, 4, 5]})
    )
    assert "there is no such argument" in tool_client.refusal("memory_get", data='{"name": "x"}')


def test_semantic_entry_search_returns_both_scores(tool_client):
    tea = write(tool_client)
    tool_client(
        "memory_write",
        summary="The build server is restarted on Mondays",
        tags=["build", "server", "monday", "restart", "ci"],
        category="knowledge",
    )

    (best, *_) = tool_client("memory_query", query="what does Ann drink for breakfast?")["hits"]

    assert tea["id"] == best["source_id"]
    assert 0.15 <= best["score"] <= 1
    assert 0 < best["score_merged"] <= best["score"]
    assert (
        best["source_id"]
        == tool_client("search_memory", query="green tea", kinds=["entry"])["hits"][0]["entry"][
            "id"
        ]
    )


def test_deleting_a_time_sensitive_entry_requires_force(tool_client):
    entry = write(tool_client, is_time_sensitive=True, context_text="Until Friday.")

    said = tool_client.refusal("memory_delete", id=entry["id"])
    gone = tool_client("memory_delete", id=entry["id"], force=True)
    tool_client("undo", batch_id=gone["batch_id"])

    assert "force" in said
    assert 1 == tool_client("memory_get", id=entry["id"])["total_chunks"]


def test_expired_entries_are_never_returned(tool_client, clock):
    entry = write(
        tool_client, is_time_sensitive=True, ttl_days=2, context_text="The parcel comes on Friday."
    )
    stays = write(tool_client, summary="Ann drinks coffee at noon")
    assert 2 == len(tool_client("memory_query", query="Ann drinks", score_threshold=0)["hits"])

    clock.advance(days=2)

    found = tool_client("memory_query", query="Ann drinks", score_threshold=0)["hits"]
    assert [stays["id"]] == [hit["source_id"] for hit in found]
    assert not tool_client("memory_get", id=entry["id"])["found"]
    assert [] == tool_client.texts("when does the parcel come on Friday", kinds=["document"])
    assert "parcel" not in " ".join(tool_client.texts("parcel Friday"))
    assert ["Ann drinks coffee at noon. " + ", ".join(TAGS)] == tool_client.texts("Ann drinks")
    assert "There is no entry" in tool_client.refusal("memory_get_context", timeline_id=entry["id"])


@pytest.mark.slow
def test_all_parallel_writes_are_stored(tool_client, memory):
    codes = [f"T{n:03}" for n in range(200)]
    found = {}

    async def write_one(client, code):
        given = {"summary": f"Ticket {code} waits", "tags": TAGS, "category": "other"}
        assert not (await client.call_tool("memory_write", given)).is_error

    async def all_at_once():
        async with Client(tool_client.server) as client:
            async with anyio.create_task_group() as group:
                for code in codes:
                    group.start_soon(write_one, client, code)
            memory.catch_up()
            for code in codes:
                asked = {"query": code, "kinds": ["entry"], "limit": 1}
                answer = await client.call_tool("search_memory", asked)
                found[code] = answer.structured_content["hits"][0]["entry"]["summary"]

    anyio.run(all_at_once)

    status = tool_client("memory_status")
    assert (200, 0) == (status["counts"]["entries"], status["pending"])
    assert {code: f"Ticket {code} waits" for code in codes} == found


def test_rows_of_a_user_are_returned_only_for_that_user(tool_client):
    entry = write(tool_client, user_id="ann", agent_id="helper")

    assert not tool_client("memory_get", id=entry["id"])["found"]
    assert not tool_client("memory_get", id=entry["id"], user_id="bob")["found"]
    assert not tool_client("memory_get", id=entry["id"], user_id="ann", agent_id="other")["found"]
    assert tool_client("memory_get", id=entry["id"], user_id="ann")["found"]
    assert [] == tool_client("memory_query", query="green tea")["hits"]
    assert [] == tool_client.texts("green tea")
    assert 1 == len(tool_client("memory_query", query="green tea", user_id="ann")["hits"])
    assert 1 == len(tool_client.texts("green tea", user_id="ann"))
    assert 0 == tool_client("memory_status")["counts"]["entries"]
    assert "There is no entry" in tool_client.refusal("memory_delete", id=entry["id"])


def test_clearing_a_project_deletes_its_entries(tool_client):
    for n in range(4):
        write(tool_client, summary=f"Ann drinks tea {n}", context_text="Always green.")
    tool_client("memory_rebuild_groups")

    tool_client("clear_memory", confirm="default")

    assert {0} == set(tool_client("memory_status")["counts"].values())
    assert [] == tool_client.texts("green tea")
    assert 1 == len(tool_client("memory_query", query=write(tool_client)["summary"])["hits"])


def test_groups_keep_their_ids(tool_client):
    similar = [
        write(tool_client, summary=f"Ann drinks green tea at {n} o'clock") for n in range(7, 12)
    ]
    built = tool_client("memory_rebuild_groups")
    (before,) = tool_client("memory_list_groups")["groups"]
    similar.append(write(tool_client, summary="Ann drinks green tea at noon"))
    assert tool_client("memory_list_groups")["stale"]

    again = tool_client("memory_rebuild_groups")
    (after,) = tool_client("memory_list_groups")["groups"]

    members = tool_client("memory_get_group_members", group_id=after["id"])["members"]
    assert (1, 1) == (built["groups"], again["kept"])
    assert (before["id"], 5, 6) == (after["id"], before["size"], after["size"])
    assert [entry["id"] for entry in similar] == [entry["id"] for entry in members]
    (group,) = tool_client("memory_get_groups", entry_id=similar[0]["id"])["groups"]
    assert after == group


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("memory_get", "id"),
        ("memory_update", "id"),
        ("memory_delete", "id"),
        ("memory_get_context", "id"),
        ("memory_write_context", "id"),
        ("memory_get_groups", "id"),
    ],
)
def test_a_missing_id_is_reported_by_parameter_name(tool_client, tool, name):
    for arguments in ({}, {"data": "{}"}):
        assert f"'{name}' is required" in tool_client.refusal(tool, **arguments)


@pytest.mark.parametrize("name", ["id", "source_id", "timeline_id", "entry_id"])
def test_every_tool_takes_an_id_under_each_of_its_names(tool_client, name):
    entry = write(tool_client)["id"]
    tool_client("memory_write_context", **{name: entry}, context_text="longer text")
    fact = tool_client("remember", text="I like tea.", infer=False)["facts"][0]["id"]

    assert tool_client("memory_get", **{name: entry})["found"]
    assert tool_client("memory_get_context", **{name: entry})["chunks"]
    assert [] == tool_client("memory_get_groups", **{name: entry})["groups"]
    assert entry == tool_client("memory_update", **{name: entry}, category="other")["id"]
    assert entry == tool_client("memory_delete", **{name: entry})["id"]
    assert fact == tool_client("forget", **{name: fact})["id"]


def test_other_names_of_an_id_are_not_listed():
    names = {"source_id", "timeline_id", "entry_id"}

    assert not [
        tool.name for tool in TOOLS if names & listing(tool).parameters["properties"].keys()
    ]
