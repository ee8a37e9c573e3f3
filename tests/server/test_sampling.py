"""Facts found by the client's own model, in both generations of the protocol."""

from __future__ import annotations

import json
import shutil

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CreateMessageResult, ErrorData, ImageContent, TextContent
from support import HashingEmbedder

from memory_core import Scope, Settings, open_memory
from memory_core.server.app import build_server

SAID = [{"role": "user", "name": "Ann", "content": "I like tea, and I moved to Oslo."}]
FACTS = json.dumps({"facts": [{"content": "Ann likes tea."}, {"content": "Ann lives in Oslo."}]})

ANN = Scope(user_id="ann")

pytestmark = pytest.mark.anyio


@pytest.fixture
def memory(tmp_path, clock, empty_file):
    settings = Settings(llm_provider="sampling", llm_timeout=30)
    opened = open_memory(
        settings,
        path=shutil.copy(empty_file, tmp_path / "memory.db"),
        embedder=HashingEmbedder(),
        clock=clock,
    )
    yield opened
    opened.close()


class Model:
    """A client's model that gives one answer; what it was asked is kept."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def __call__(self, context, params):
        self.asked.append(params)
        if isinstance(self.answer, str):
            text = TextContent(type="text", text=self.answer)
            return CreateMessageResult(role="assistant", content=text, model="m")
        return self.answer


async def called(memory, era, model, tool="remember", **arguments):
    """Call a tool as a client of that era with that model, and return the whole result."""
    server = build_server(memory, memory.settings)
    async with Client(server, mode=era, sampling_callback=model) as client:
        try:
            return await client.call_tool(tool, arguments or {"messages": SAID, "user_id": "ann"})
        except MCPError as error:
            return error


def jobs(memory):
    return memory.conversation.list_jobs(ANN).jobs


def facts(memory):
    return [fact.content for fact in memory.conversation.list_facts(ANN).facts]


@pytest.mark.parametrize("tool", ["remember", "memory_extract"])
async def test_client_model_extracts_the_facts(memory, era, tool):
    model = Model(FACTS)
    result = await called(memory, era, model, tool)
    (asked,) = model.asked

    assert "stored" == result.structured_content["outcome"]
    assert {"Ann likes tea.", "Ann lives in Oslo."} == set(facts(memory))
    assert "I moved to Oslo." in asked.messages[0].content.text
    assert "quotation" in asked.system_prompt and "Oslo" not in asked.system_prompt
    assert ["stored"] == [job.status for job in jobs(memory)]


async def test_clients_without_sampling_are_not_called(memory, era):
    result = await called(memory, era, None)

    assert "stored" == result.structured_content["outcome"]
    assert result.structured_content["notice"]
    assert [SAID[0]["content"]] == facts(memory)


async def test_clients_without_sampling_may_submit_facts(memory, era):
    result = await called(memory, era, None, "memory_extract", messages=SAID)

    assert "waiting_for_assistant" == result.structured_content["outcome"]
    assert "facts" in result.structured_content["contract"]


async def test_refused_sampling_keeps_the_conversation_as_a_job(memory, era):
    model = Model(ErrorData(code=-1, message="The person said no."))
    result = await called(memory, era, model)
    if era == "legacy":
        assert "extraction_failed" == result.structured_content["outcome"]
        assert "LLM_UNAVAILABLE" in result.structured_content["reason"]
    else:
        # There the client ends the call itself, and never comes back.
        assert "The person said no." == str(result)
    (job,) = jobs(memory)

    assert ([], 1) == (facts(memory), len(model.asked))
    assert job.status in ("failed", "waiting_for_assistant")
    assert SAID[0]["content"] == memory.conversation.get_job(job.id).messages[0].content


@pytest.mark.parametrize(
    "answer",
    [
        "I would rather not.",
        CreateMessageResult(
            role="assistant",
            content=ImageContent(type="image", data="aGk=", mime_type="image/png"),
            model="m",
        ),
    ],
)
async def test_sampling_without_facts_is_a_failure(memory, era, answer):
    result = await called(memory, era, Model(answer))

    assert "extraction_failed" == result.structured_content["outcome"]
    assert (["failed"], []) == ([job.status for job in jobs(memory)], facts(memory))


async def test_nothing_memorable_is_a_valid_result(memory, era):
    result = await called(memory, era, Model('{"facts": []}'))

    assert "nothing_memorable" == result.structured_content["outcome"]


async def test_sampling_is_used_only_if_configured(tmp_path, clock, era):
    model = Model(FACTS)
    opened = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock)
    try:
        await called(opened, era, model)
    finally:
        opened.close()

    assert [] == model.asked


async def test_verbatim_text_is_stored_without_sampling(memory, era):
    model = Model(FACTS)
    await called(memory, era, model, text="Tea at five.", infer=False, user_id="ann")

    assert ([], ["Tea at five."]) == (model.asked, facts(memory))


async def test_sampling_requests_are_not_counted_as_failed_calls(memory, era):
    await called(memory, era, Model(FACTS))
    memory.telemetry.flush()

    assert 0 == memory.statistics.search_stats().error_rate
