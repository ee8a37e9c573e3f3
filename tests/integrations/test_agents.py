"""Agents of other frameworks remember and recall."""

from __future__ import annotations

import json
import sys

import anyio
import pytest

from memory_core import Scope, UnavailableError
from memory_core.integrations import (
    AgentMemory,
    chat_tools,
    langchain_tools,
    pydantic_ai_tools,
    response_tools,
    run_call,
)


@pytest.fixture
def agent(memory):
    return AgentMemory(memory, Scope(user_id="alice"), actor="desk")


def contents(memory, **scope):
    return [fact.content for fact in memory.conversation.list_facts(Scope(**scope)).facts]


def test_an_agent_remembers_and_recalls_in_its_own_scope(memory, agent):
    done = agent.remember("Alice drinks green tea.")
    memory.conversation.add_facts(["Bob drinks green tea too."], Scope(user_id="bob"))

    found = agent.recall("Who drinks green tea?")

    assert ("stored", "Alice drinks green tea.") == (done["outcome"], done["facts"][0]["content"])
    assert ["Alice drinks green tea."] == [fact["content"] for fact in found["facts"]]
    assert "desk" in {event.actor for event in memory.timelines.list_events(user_id="alice").events}
    memory.undo.undo(done["batch_id"], user_id="alice")
    assert [] == agent.recall("Who drinks green tea?")["facts"]


def test_secrets_are_redacted_before_storage(memory, agent):
    key = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    done = agent.remember(f"The deploy key is {key}.")

    assert [True] == [reported.startswith("GitHub token") for reported in done["redacted"]]
    assert key not in str(done) + str(contents(memory, user_id="alice"))


def test_function_schemas_are_strict():
    remember, recall = chat_tools()

    assert ["remember", "recall"] == [each["function"]["name"] for each in (remember, recall)]
    parameters = recall["function"]["parameters"]
    assert (["query"], False) == (parameters["required"], parameters["additionalProperties"])
    assert {"type": "integer", "default": 5, "minimum": 1, "maximum": 50} == {
        key: value
        for key, value in parameters["properties"]["limit"].items()
        if key != "description"
    }
    flat = [
        {"type": "function", **each["function"], "strict": False} for each in (remember, recall)
    ]
    assert flat == response_tools()
    assert json.loads(json.dumps(flat)) == flat


def test_function_calls_return_json(memory, agent):
    stored = json.loads(run_call(agent, "remember", '{"text": "Alice sails on Sundays."}'))
    found = json.loads(run_call(agent, "recall", {"query": "sails", "limit": 1}))

    assert ("stored", 1) == (stored["outcome"], len(found["facts"]))
    assert ["Alice sails on Sundays."] == contents(memory, user_id="alice")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("forget", "{}", "no function 'forget'"),
        ("remember", "{", "no JSON object"),
        ("remember", "[]", "valid dictionary"),
        ("remember", "{}", "text: Field required"),
        ("remember", '{"text": " "}', "blank"),
        ("recall", '{"query": "x", "limit": 900}', "limit: "),
        ("recall", '{"query": "x", "user_id": "bob"}', "user_id: "),
    ],
)
def test_failed_function_calls_return_the_reason(memory, agent, name, arguments, message):
    answer = json.loads(run_call(agent, name, arguments))

    assert "INVALID_INPUT" == answer["error"]["code"]
    assert message in answer["error"]["message"]
    assert [] == contents(memory, user_id="alice")


def test_a_langchain_agent_uses_the_tools(memory, agent):
    remember, recall = langchain_tools(agent)

    stored = remember.invoke({"text": "Alice drinks green tea."})
    found = recall.invoke({"query": "green tea"})

    assert ("remember", "recall") == (remember.name, recall.name)
    assert "stored" == stored["outcome"]
    assert "Alice drinks green tea." == found["facts"][0]["content"]
    assert {"query", "limit"} == set(recall.args)
    assert recall.args["query"]["description"].startswith("What to look for")
    assert "INVALID_INPUT" in remember.invoke({"text": " "})


def test_a_pydantic_ai_agent_uses_the_tools(memory, agent):
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    model = TestModel()
    # Not run_sync, which leaves an event loop open behind it.
    ran = anyio.run(Agent(model, tools=pydantic_ai_tools(agent)).run, "hello")

    offered = {tool.name: tool for tool in model.last_model_request_parameters.function_tools}
    assert {"remember", "recall"} == set(offered)
    assert ["query"] == offered["recall"].parameters_json_schema["required"]
    assert '"outcome":"stored"' in ran.output
    assert 1 == len(contents(memory, user_id="alice"))


@pytest.mark.parametrize(
    ("module", "package", "make"),
    [
        ("langchain_core", "langchain-core", langchain_tools),
        ("pydantic_ai", "pydantic-ai-slim", pydantic_ai_tools),
    ],
)
def test_a_missing_package_is_named(monkeypatch, agent, module, package, make):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(UnavailableError, match=f"pip install {package}"):
        make(agent)
