from __future__ import annotations

import json

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support import HashingEmbedder

from memory_core import open_memory
from memory_core.errors import MAX_MESSAGE, MAX_QUOTED, NotFoundError, ValidationError
from memory_core.server.app import build_server
from memory_core.server.calls.arguments import drop_empty
from memory_core.server.calls.catalogue import catalogue

LONG = "x" * 1_000_000


@pytest.fixture
async def client(tmp_path, anyio_backend):
    memory = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder())
    async with Client(build_server(memory, memory.settings)) as connected:
        yield connected
    memory.close()


def enums(schema):
    if isinstance(schema, dict):
        if isinstance(schema.get("enum"), list):
            yield schema["enum"]
        for child in schema.values():
            yield from enums(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from enums(child)


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_no_enum_of_a_tool_has_an_empty_value(entry):
    assert [] == [e for e in enums([entry.parameters, entry.output]) if "" in e or not e]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("qna_with_context", {}), ("qna_with_context", None), ("session_start", {"path": "x"}),
     ("session_end", {}), ("no_such_prompt", {}), ("", {}), ("review_codebase", {"other": "x"})],
)  # fmt: skip
async def test_a_wrong_prompt_request_has_the_code_of_invalid_parameters(client, name, arguments):
    with pytest.raises(MCPError) as refused:
        await client.get_prompt(name, arguments)

    assert -32602 == refused.value.error.code


@pytest.mark.anyio
async def test_an_error_does_not_repeat_a_long_value(client):
    calls = [
        ("get_hologram", {"node_id": LONG}),
        ("get_hologram", {LONG: 1}),
        ("create_entity", {"name": LONG, "node_type": "concept"}),
        ("create_entity", {"name": "a", "node_type": LONG}),
        ("list_entities", {"limit": LONG}),
        ("create_entity", {"name": "a", "node_type": "concept", "properties": {LONG: [LONG]}}),
    ]
    texts = [(await client.call_tool(*call)).content[0].text for call in calls]
    with pytest.raises(MCPError) as unknown:
        await client.get_prompt(LONG)

    assert all(len(text) <= MAX_MESSAGE for text in [*texts, unknown.value.error.message])


@pytest.mark.parametrize("length", [MAX_QUOTED, MAX_QUOTED + 1])
def test_a_quoted_value_is_shortened_above_its_limit(length):
    message = str(NotFoundError("entity", "x" * length, "Did you mean 'y'?"))

    assert message.endswith("Did you mean 'y'?")
    assert ("..." in message) == (length > MAX_QUOTED)
    assert "x" * MAX_QUOTED in message and "x" * (MAX_QUOTED + 1) not in message


@pytest.mark.parametrize("length", [MAX_MESSAGE, MAX_MESSAGE + 1])
def test_a_message_keeps_its_beginning_and_its_end(length):
    given = "begin " + "y " * (length // 2 - 5) + "e" * (length % 2) + " end"
    message = str(ValidationError(given))

    assert (message == given) == (length <= MAX_MESSAGE)
    assert len(message) <= MAX_MESSAGE
    assert message.startswith("begin") and message.endswith("end")


@pytest.mark.anyio
@pytest.mark.parametrize("number", [2**63, 2**70, -(2**70), 10**30])
@pytest.mark.parametrize(
    ("tool", "argument", "others"),
    [("undo", "seq", {}), ("list_entities", "limit", {}),
     ("update_entity", "expected_version", {"entity_id": "a"}),
     ("memory_update", "ttl_days", {"id": "a"}), ("memory_get", "data", {})],
)  # fmt: skip
async def test_an_integer_of_more_than_64_bits_is_invalid(client, tool, argument, others, number):
    value = json.dumps({"id": number}) if argument == "data" else number
    result = await client.call_tool(tool, {argument: value, **others})

    assert result.is_error
    assert "BUG" not in str(result.meta)


OPTIONAL = [
    (entry, name)
    for entry in catalogue()
    for name in entry.parameters["properties"]
    if name not in entry.parameters.get("required", [])
]


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_optional_argument_counts_as_not_given(empty):
    for entry, name in OPTIONAL:
        properties = entry.parameters["properties"]

        assert {} == drop_empty({name: empty}, properties), (entry.name, name)
    assert len(OPTIONAL) > 100


@pytest.mark.anyio
@pytest.mark.parametrize("empty", ["", " ", None])
async def test_optional_fields_of_a_batch_item_may_be_empty(client, empty):
    await client.call_tool("create_entity", {"name": "A", "node_type": "concept"})
    fields = dict.fromkeys(("certainty", "occurred_at", "source", "session_id"), empty)
    items = [{"entity_id": "a", "content": "One fact.", **fields}]
    result = await client.call_tool("add_observations", {"observations": items})

    assert not result.is_error, result.content[0].text


@pytest.mark.anyio
async def test_an_explicit_scope_has_precedence_over_data(client):
    entry = {
        "summary": "Ropes are kept in the harbour.",
        "tags": list("abcde"),
        "category": "other",
    }
    data = json.dumps({**entry, "project_id": "other", "user_id": "bob"})
    scope = {"project_id": "mine", "user_id": "ann"}
    written = await client.call_tool("memory_write", {"data": data, **scope})
    id = written.structured_content["id"]

    async def found(**scope):
        answer = await client.call_tool("memory_get", {"id": id, **scope})
        return answer.structured_content["found"]

    assert await found(**scope)
    assert not await found(project_id="other", user_id="bob")
