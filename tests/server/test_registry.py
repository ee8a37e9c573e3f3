from __future__ import annotations

import inspect
import logging

import pytest
from mcp import Client
from mcp.types import Implementation

from memory_core.memory import Memory
from memory_core.model.scope import Scope
from memory_core.server.calls import parameters as p
from memory_core.server.calls.signature import expand_scope

from .standins import stand_in_server
from .strict_schemas import strict_schema_problems

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(memory, era):
    me = Implementation(name="Test\x07 editor\n", version="1")
    async with Client(stand_in_server(memory), mode=era, client_info=me) as connected:
        yield connected


async def failure(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert result.is_error, result
    return result.content[0].text


@pytest.mark.parametrize(
    "text", ['{"x": 1}', "null", "123", "true", '"quoted"', "[1, 2]", "", "🙂", "今天"]
)
async def test_json_like_text_is_passed_unchanged(client, text):
    result = await client.call_tool("echo", {"text": text})

    assert text == result.structured_content["text"]


async def test_json_text_is_parsed_for_non_text_parameters(client):
    given = {
        "text": "t",
        "count": "3",
        "share": "0.5",
        "loud": "true",
        "words": '["a", "b"]',
        "rows": ['{"a": 1}', {"b": 2}],
        "properties": '{"k": [1]}',
    }

    answer = (await client.call_tool("echo", given)).structured_content

    assert (3, 0.5, True) == (answer["count"], answer["share"], answer["loud"])
    assert (["a", "b"], {"k": [1]}) == (answer["words"], answer["properties"])
    assert [{"a": 1}, {"b": 2}] == answer["rows"]


async def test_null_selects_the_default(client):
    result = await client.call_tool("echo", {"text": "t", "words": None, "count": None})

    assert ([], 0) == (result.structured_content["words"], result.structured_content["count"])


async def test_an_unknown_argument_is_refused_by_name(client):
    message = await failure(client, "echo", text="t", wrods=["a"], other=1)

    assert "'wrods': there is no such argument. Did you mean 'words'?" in message
    assert "'other': there is no such argument." in message
    assert "Known arguments: text, count, share" in message


async def test_every_wrong_argument_is_named_with_its_rule(client):
    message = await failure(client, "echo", count=10, words="a, b", kind="odd", share="much")

    assert "'text' is required. Any text." in message
    assert "'count' should be less than or equal to 9; it was 10. A small number." in message
    assert "'words' should be a valid list; it was 'a, b'. Some words." in message
    assert "'kind' should be 'plain' or 'null'; it was 'odd'. A choice." in message
    assert "'share' should be a valid number" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [("text", 5), ("text", None), ("text", ["t"]), ("count", True), ("count", 1.5),
     ("share", "nan"), ("properties", '{"deep": [NaN]}'), ("properties", '{"deep": 1e999}'),
     ("words", [1]), ("loud", "perhaps")],
)  # fmt: skip
async def test_a_value_of_the_wrong_kind_is_refused_by_name(client, name, value):
    message = await failure(client, "echo", **{"text": "t", name: value})

    assert f"'{name}" in message


async def test_a_long_wrong_value_is_shown_shortened(client):
    message = await failure(client, "echo", text="t", count="x" * 10_000)

    assert len(message) < 400


async def test_failures_have_a_message_and_a_stable_code(client):
    result = await client.call_tool("refuse", {})

    assert result.is_error
    expected = "There is no entity 'ghost'. list_entities shows what there is."
    assert expected == result.content[0].text
    assert "NOT_FOUND" == result.meta["code"]


async def test_internal_errors_are_logged_and_hidden_from_clients(client, caplog):
    with caplog.at_level(logging.ERROR):
        message = await failure(client, "crash")

    assert "crash failed. This is a bug in the memory server" in message
    assert "secret" not in message
    assert ["crash failed"] == [record.getMessage() for record in caplog.records]


async def test_writes_record_the_client_name(client):
    result = await client.call_tool("echo", {"text": "t"})

    assert "Test editor" == result.structured_content["actor"]


async def test_result_text_is_compact_json(client):
    result = await client.call_tool("echo", {"text": "t", "properties": {"k": None, "n": 0}})

    assert '"text":"t"' in result.content[0].text
    assert '"properties":{"n":0}' in result.content[0].text
    assert "\n" not in result.content[0].text


async def test_schemas_are_flat_closed_and_described(client):
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert [] == strict_schema_problems(listed["echo"].input_schema)
    assert "title" not in listed["echo"].input_schema["properties"]["text"]
    assert "title" not in listed["echo"].input_schema


async def test_tools_have_behaviour_annotations(client):
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    hints = listed["crash"].annotations
    assert (False, True, False) == (
        hints.read_only_hint,
        hints.destructive_hint,
        hints.idempotent_hint,
    )
    assert ("Echo", True) == (listed["echo"].title, listed["echo"].annotations.read_only_hint)


async def test_oversized_results_are_shortened_with_a_marker(memory, era):
    async with Client(stand_in_server(memory, budget=500), mode=era) as client:
        fits = await client.call_tool("echo", {"text": "x" * 1500})
        long = await client.call_tool("echo", {"text": "x" * 3000})

    assert "x" * 1500 == fits.structured_content["text"]
    assert not long.is_error
    assert "xxx… [2,000 more characters;" in long.structured_content["text"]
    assert 2000 > len(long.content[0].text)


async def test_calls_are_timed_and_failures_counted(client, memory):
    await client.call_tool("echo", {"text": "t"})
    await client.call_tool("refuse", {})
    memory.telemetry.flush()

    with memory.db.read() as connection:
        rows = list(connection.execute("select operation, actor, error from traces order by rowid"))

    expected = [("echo", "Test editor", ""), ("refuse", "Test editor", "NOT_FOUND")]
    assert expected == [tuple(row.values()) for row in rows]


def test_schema_checker_detects_unsupported_keywords():
    schema = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A."},
            "b": {"type": "array", "items": {"$ref": "#/$defs/B"}},
        },
    }

    assert [
        "takes unknown arguments",
        "a: has anyOf",
        "a: has the type null",
        "b: has no description",
        "b: has $ref",
    ] == strict_schema_problems(schema)


def test_scope_parameters_are_expanded_in_place():
    @expand_scope
    def example(
        memory: Memory, query: str, scope: p.SearchScope = p.DEFAULT_SCOPE, backup: bool = True
    ) -> Scope:
        return scope

    names = list(inspect.signature(example).parameters)
    owner = ["user_id", "agent_id", "session_id"]
    assert ["memory", "query", *owner, "project_id", "backup"] == names
    assert Scope(user_id="ann") == example(None, query="tea", user_id="ann")
