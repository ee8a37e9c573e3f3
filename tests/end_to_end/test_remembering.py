from __future__ import annotations

import sys
from contextlib import asynccontextmanager

import anyio
import pytest
from local_provider import Answer, provider
from mcp import Client, StdioServerParameters
from scripted import facts
from support import PATIENCE

from .stdio_process import MAIN

ALICE = {"user_id": "alice"}
BOB = {"user_id": "bob"}


@asynccontextmanager
async def served(folder, **settings):
    """Yield a call of tools on a server of its own; each call must succeed."""
    server = StdioServerParameters(
        command=sys.executable,
        args=[str(MAIN), "--db", str(folder / "memory.db")],
        env={"MEMORY_DATA_DIR": str(folder), **settings},
    )
    with anyio.fail_after(PATIENCE):
        async with Client(server) as client:

            async def call(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content[0].text
                return result.structured_content

            yield call


async def said(call, **scope):
    page = await call("list_memories", **scope)
    return sorted(fact["content"] for fact in page["facts"])


@pytest.mark.anyio
async def test_facts_are_recalled_only_by_their_user_and_erased_on_request(tmp_path):
    async with served(tmp_path) as call:
        for text in ("Alice plays jazz on the piano", "Alice is allergic to nuts"):
            assert (await call("remember", text=text, **ALICE))["facts"]
        await call("remember", text="Bob plays chess", **BOB)
        again = await call("remember", text="Bob plays chess", **BOB)

        assert "duplicate" == again["outcome"]
        found = await call("recall", query="piano", **ALICE)
        assert "Alice plays jazz on the piano" == found["facts"][0]["content"]
        other = await call("recall", query="piano", **BOB)
        assert ["Bob plays chess"] == [fact["content"] for fact in other["facts"]]
        assert [] == await said(call)

    async with served(tmp_path) as call:
        kept = await call("list_memories", **ALICE)
        (nuts,) = (fact for fact in kept["facts"] if "nuts" in fact["content"])
        await call("forget", id=nuts["id"], **ALICE)
        assert ["Alice plays jazz on the piano"] == await said(call, **ALICE)

        gone = await call("forget_everything", confirm="alice", **ALICE)

        assert (1, [], ["Bob plays chess"]) == (
            gone["facts"],
            await said(call, **ALICE),
            await said(call, **BOB),
        )
        assert gone["backup"].endswith(".db")


@pytest.mark.anyio
async def test_failed_model_keeps_the_conversation_and_reports_no_storage(tmp_path):
    refusal, found = "I would rather not.", facts("Alice skis every winter", "Alice lives in Oslo")
    answers = [
        Answer({"choices": [{"message": {"role": "assistant", "content": text}}]})
        for text in (refusal, found)
    ]
    messages = [{"role": "user", "content": "I live in Oslo and ski every winter."}]
    with provider(*answers) as model:
        settings = {
            "LLM_PROVIDER": "openai_compatible",
            "LLM_BASE_URL": f"{model.address}/v1",
            "LLM_MODEL": "scripted",
        }
        async with served(tmp_path, **settings) as call:
            failed = await call("remember", messages=messages, **ALICE)
            assert ("extraction_failed", []) == (failed["outcome"], failed["facts"])
            assert [] == await said(call, **ALICE)
            (job,) = (await call("list_extraction_jobs", status="failed", **ALICE))["jobs"]
            assert failed["job_id"] == job["id"]

            done = await call("remember", messages=messages, **ALICE)

            assert done["outcome"] in ("stored", "deferred")
            stored = ["Alice lives in Oslo", "Alice skis every winter"]
            assert stored == sorted(fact["content"] for fact in done["facts"])
            assert stored == await said(call, **ALICE)
            assert [] == await said(call, **BOB)
