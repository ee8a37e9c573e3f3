from __future__ import annotations

import pytest

from memory_core import ConflictError, NotFoundError, ValidationError


def test_a_session_follows_the_latest_of_its_project(memory, clock):
    memory.sessions.start_session("s1", "First day", project_id="a")
    memory.sessions.start_session("other", "Elsewhere", project_id="b")
    clock.advance(hours=5)
    second = memory.sessions.start_session("s2", "Second day", project_id="a").session

    assert ("s1", "active") == (second.previous, second.status)
    assert "" == memory.sessions.get_session("other", project_id="b").previous


def test_a_session_ends_once_with_summary_and_time(memory, clock):
    memory.sessions.start_session("s1", "First day", properties={"branch": "main"})
    clock.advance(hours=2)

    ended = memory.sessions.end_session("s1", "Moved the retries.").session

    assert ("closed", "Moved the retries.") == (ended.status, ended.summary)
    assert 7200 == (ended.ended_at - ended.started_at).total_seconds()
    assert {"branch": "main"} == ended.properties
    with pytest.raises(ConflictError, match="ended at"):
        memory.sessions.end_session("s1", "again")
    memory.graph.create_entity("Ann", "person")
    with pytest.raises(ValidationError, match="is a person and not a session"):
        memory.sessions.end_session("ann", "x")
    with pytest.raises(NotFoundError):
        memory.sessions.end_session("missing", "x")


def test_starting_an_active_session_is_idempotent(memory):
    memory.sessions.start_session("s1", "First day")

    assert memory.sessions.start_session("S1", "First day").already_exists
    memory.sessions.end_session("s1", "done")
    with pytest.raises(ConflictError, match="Start another"):
        memory.sessions.start_session("s1", "First day")


def test_breakthroughs_are_stored_and_linked_atomically(memory):
    memory.sessions.start_session("s1", "First day")

    made = memory.sessions.record_breakthrough("s1", "Retries flood", "The gateway retries twice.")
    again = memory.sessions.record_breakthrough("s1", "Retries flood", "The gateway retries twice.")

    hologram = memory.exploration.hologram(made.id)
    assert (False, True) == (made.already_exists, again.already_exists)
    assert ["The gateway retries twice."] == [
        fact.content for fact in hologram.nodes[0].observations
    ]
    assert [("retries-flood", "BREAKTHROUGH_IN", "s1")] == [
        (edge.from_node_id, edge.relationship_type, edge.to_node_id) for edge in hologram.relations
    ]
    assert [made.id] == memory.sessions.get_session("s1").breakthroughs


def test_session_messages_are_stored_with_notice(memory):
    memory.sessions.start_session("s1", "First day")

    ended = memory.sessions.end_session(
        "s1", "done", messages=["We chose SQLite.", "Because it is one."]
    )

    assert 2 == ended.kept_messages
    assert "No extractor" in ended.notice
    facts = memory.exploration.hologram("s1").nodes[0].observations
    assert {"We chose SQLite.", "Because it is one."} == {fact.content for fact in facts}


def test_stored_messages_name_their_speaker(memory):
    memory.sessions.start_session("s1", "First day")
    said = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "We chose SQLite.", "name": "Ann"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "A good choice."}]},
        "It is one file.",
    ]

    ended = memory.sessions.end_session("s1", "done", messages=said)

    facts = memory.exploration.hologram("s1").nodes[0].observations
    assert 3 == ended.kept_messages
    assert {
        ("We chose SQLite.", "conversation, Ann"),
        ("A good choice.", "conversation, assistant"),
        ("It is one file.", "conversation"),
    } == {(fact.content, fact.source) for fact in facts}


def test_invalid_messages_do_not_end_the_session(memory):
    memory.sessions.start_session("s1", "First day")

    with pytest.raises(ValidationError, match=r"Message 2 has an unknown field 'text'"):
        memory.sessions.end_session("s1", "done", messages=["Fine.", {"role": "user", "text": "x"}])

    assert "active" == memory.sessions.get_session("s1").status


def test_new_session_returns_the_previous_summary(memory):
    memory.sessions.start_session("mon", "Monday")
    memory.sessions.end_session("mon", "Payments are done; refunds are left.")
    tuesday = memory.sessions.start_session("tue", "Tuesday")
    again = memory.sessions.start_session("tue", "Tuesday")
    wednesday = memory.sessions.start_session("wed", "Wednesday")

    assert "Payments are done; refunds are left." == tuesday.previous_summary
    assert (tuesday.previous_summary, True) == (again.previous_summary, again.already_exists)
    assert ("", "The session before it, 'tue', has not been ended.") == (
        wednesday.previous_summary,
        wednesday.notice,
    )


def test_missing_session_error_names_it(memory):
    for act in (
        lambda: memory.sessions.end_session("nope", "done"),
        lambda: memory.sessions.record_breakthrough("nope", "An insight", "It works."),
    ):
        with pytest.raises(
            NotFoundError, match=r"no session 'nope'\. Start one with the tool start"
        ):
            act()
