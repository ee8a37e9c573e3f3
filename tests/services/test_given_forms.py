from __future__ import annotations

import pytest
from scripted import contents
from support import HashingEmbedder

from memory_core import (
    ConfigurationError,
    Scope,
    ValidationError,
    acting_as,
    as_one_batch,
    open_memory,
)
from memory_core.model.facts.extraction import ExtractedFact, Message

ALICE = Scope(user_id="alice")


def test_file_paths_may_be_strings(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    open_memory(path="~/m.db", embedder=HashingEmbedder()).close()

    assert (tmp_path / "m.db").is_file()


def test_default_memory_is_the_configured_one(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SQLITE_DB_FILE", "shared.db")

    open_memory(embedder=HashingEmbedder()).close()

    assert (tmp_path / "shared.db").is_file()


@pytest.mark.parametrize("given", ["Ann owns a boat", {"content": "Ann owns a boat"}])
def test_one_fact_needs_no_list(memory, given):
    memory.conversation.add_facts(given, ALICE)

    assert ["Ann owns a boat"] == contents(memory, ALICE)


@pytest.mark.parametrize(
    "call",
    [
        lambda conversation: conversation.add_facts(None, ALICE),
        lambda conversation: conversation.submit_facts("job", None),
        lambda conversation: conversation.add_messages("x", ALICE, metadata=["a"]),
        lambda conversation: conversation.add_messages("x", ALICE, metadata={"a": object()}),
        lambda conversation: conversation.search_facts(None, ALICE),
        lambda conversation: conversation.update_fact("id", None, ALICE),
        lambda conversation: conversation.search_facts("x", ALICE, limit="five"),
        lambda conversation: conversation.search_facts("x", ALICE, limit=2.5),
        lambda conversation: conversation.list_facts(ALICE, limit=None),
        lambda conversation: conversation.list_facts(ALICE, limit=True),
        lambda conversation: conversation.list_jobs(ALICE, limit="five"),
        lambda conversation: conversation.list_facts(ALICE, cursor=5),
        lambda conversation: conversation.get_fact(["a"], ALICE),
        lambda conversation: conversation.delete_fact({}, ALICE),
        lambda conversation: conversation.get_job(["a"]),
        lambda conversation: conversation.list_facts(Scope(user_id=5)),
        lambda conversation: conversation.list_facts(Scope(user="alice")),
        lambda conversation: conversation.submit_facts(["a"], ["Ann skis"]),
        lambda conversation: conversation.add_messages("x", ALICE, extractor="rules"),
    ],
)
def test_arguments_of_wrong_types_are_rejected_by_name(memory, call):
    said = r"must be|hold|is not a cursor|is wanted|has an invalid|must have"
    with pytest.raises(ValidationError, match=said):
        call(memory.conversation)


def test_chat_completion_messages_are_accepted(memory):
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    transcript = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "I own a boat."}, image]},
        {"role": "user", "content": [image]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}], "refusal": None},
        {"role": "tool", "tool_call_id": "1", "content": "42 degrees"},
        {"role": "assistant", "content": "Noted.", "annotations": []},
    ]

    memory.conversation.add_messages(transcript, ALICE)

    assert ["I own a boat."] == contents(memory, ALICE)


def test_verbatim_messages_keep_their_speaker(memory):
    said = [
        {"role": "user", "name": "Ann", "content": "I work at Quayside."},
        {"role": "Skipper", "content": "Quayside builds boats."},
    ]

    memory.conversation.add_messages(said, ALICE, metadata={"room": "7"})
    kept = {fact.content: fact.metadata for fact in memory.conversation.list_facts(ALICE).facts}

    assert {
        "I work at Quayside.": {"room": "7", "name": "Ann"},
        "Quayside builds boats.": {"room": "7", "role": "Skipper"},
    } == kept


def test_piped_input_loses_its_final_newline(memory):
    memory.conversation.add_messages("Alice plays chess\n", ALICE)

    assert ["Alice plays chess"] == contents(memory, ALICE)


@pytest.mark.parametrize("said", [7, None, b"text", [{"role": "user", "content": None}], [[]]])
def test_invalid_conversations_are_rejected(memory, said):
    with pytest.raises(ValidationError):
        memory.conversation.add_messages(said, ALICE)


@pytest.mark.parametrize("scope", ["alice", {"user_id": "alice"}, 7, ""])
def test_scope_arguments_must_be_scopes(memory, scope):
    with pytest.raises(ValidationError, match="Scope"):
        memory.conversation.add_messages("Alice plays chess", scope)


@pytest.mark.parametrize(
    "given",
    [
        {"settings": {"mcp_port": 1}},
        {"path": 5},
        {"path": b"m.db"},
        {"path": "m\0.db"},
        {"embedder": "all-MiniLM-L6-v2"},
        {"clock": 5},
        {"ids": "id"},
    ],
)
def test_open_memory_rejects_arguments_of_wrong_types(tmp_path, given):
    asked = {"path": tmp_path / "m.db", "embedder": HashingEmbedder(), **given}

    with pytest.raises(ConfigurationError, match=f"open_memory: {next(iter(given))} is .* must be"):
        open_memory(asked.pop("settings", None), **asked)
    assert [] == [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Scope(user_id=5),
        lambda: Message(content=5),
        lambda: Message(content="x", rolle="user"),
        lambda: ExtractedFact(),
        lambda: acting_as(5).__enter__(),
        lambda: acting_as(" ").__enter__(),
        lambda: as_one_batch(None).__enter__(),
    ],
)
def test_invalid_values_raise_our_errors(make):
    with pytest.raises(ValidationError, match=r"has an invalid|must be a text"):
        make()
