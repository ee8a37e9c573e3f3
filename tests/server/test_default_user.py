"""The user of a call that names none: MEMORY_USER."""

from __future__ import annotations

import json

import pytest
from mcp import Client
from support import HashingEmbedder

from memory_core import Scope, Settings, open_memory
from memory_core.integrations import AgentMemory
from memory_core.server.app import build_server

pytestmark = pytest.mark.anyio
TAGS = ["tea", "cup", "green", "leaf", "pot"]


@pytest.fixture
def memory(tmp_path):
    opened = open_memory(
        Settings(memory_user="ann", memory_toolsets="all"),
        path=tmp_path / "memory.db",
        embedder=HashingEmbedder(),
    )
    yield opened
    opened.close()


@pytest.fixture
async def call(memory):
    async with Client(build_server(memory, memory.settings)) as client:

        async def called(tool, **arguments):
            answer = await client.call_tool(tool, arguments)
            return answer.structured_content or answer.content[0].text

        called.client = client
        yield called


async def test_calls_without_a_user_use_the_default_user(memory, call):
    await call("remember", text="Ann has asthma.", infer=False)
    await call("remember", text="Ben plays the harp.", infer=False, user_id="ben")
    await call("remember", text="Ann rows.", infer=False, user_id="")

    reported = [await call("list_memories", **named) for named in ({}, {"user_id": ""})]
    timeline = json.dumps(await call("query_timeline"))

    contents = [{fact["content"] for fact in page["facts"]} for page in reported]
    assert [{"Ann has asthma.", "Ann rows."}] * 2 == contents
    assert ("asthma" in timeline, "harp" in timeline) == (True, False)


async def test_null_user_means_the_default_user(call):
    await call("remember", text="Ann has asthma.", infer=False, user_id=None)

    assert 1 == (await call("list_memories", user_id="ann"))["total"]


async def test_legacy_arguments_use_the_default_user(memory, call):
    said = {"summary": "Ann drinks tea", "tags": TAGS, "category": "other"}

    await call("memory_write", data=json.dumps(said))
    await call("memory_write", data=json.dumps({**said, "user_id": "ben"}))
    await call("memory_write", data=json.dumps(said), user_id="cid")

    totals = {user: memory.entries.list_entries(scope=Scope(user_id=user)).total for user in USERS}
    assert {"": 0, "ann": 1, "ben": 1, "cid": 1} == totals


USERS = ("", "ann", "ben", "cid")


async def test_legacy_form_cannot_override_the_user(memory, call):
    said = {"summary": "Tea", "tags": TAGS, "category": "other", "user_id": "ben"}

    await call("memory_write", data=json.dumps(said), user_id="cid")

    assert 1 == memory.entries.list_entries(scope=Scope(user_id="cid")).total
    assert 0 == memory.entries.list_entries(scope=Scope(user_id="ben")).total


async def test_legacy_form_keeps_unnamed_arguments(memory, call):
    written = await call(
        "memory_write", summary="Tea", tags=TAGS, category="other", is_time_sensitive=True
    )

    changed = await call(
        "memory_update", data=json.dumps({"id": written["id"], "summary": "Green tea"})
    )

    assert ("Green tea", True) == (changed["summary"], changed["is_time_sensitive"])


async def test_tools_show_the_default_user(call):
    listed = (await call.client.list_tools()).tools
    defaults = {
        tool.input_schema["properties"]["user_id"]["default"]
        for tool in listed
        if "user_id" in tool.input_schema["properties"]
    }

    assert {"ann"} == defaults


async def test_prompts_and_resources_use_the_default_user(memory, call):
    for user in ("ann", "ben"):
        scope = Scope(project_id=f"clinic-{user}", user_id=user)
        memory.conversation.add_facts([f"The state of the work of {user}: asthma."], scope)

    prompt = str(await call.client.get_prompt("qna_with_context", {"query": "state of the work"}))
    projects = str(await call.client.read_resource("memory://projects"))

    assert ("work of ann" in prompt, "work of ben" in prompt) == (True, False)
    assert ("clinic-ann" in projects, "clinic-ben" in projects) == (True, False)


async def test_agents_without_a_scope_use_the_default_user(memory):
    AgentMemory(memory).remember("Ann has asthma.")

    assert 1 == memory.conversation.list_facts(Scope(user_id="ann")).total
