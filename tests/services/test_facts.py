"""Facts as the library knows them: written, found, changed and forgotten."""

from __future__ import annotations

import pytest
from scripted import contents, facts, scripted, use

from memory_core import Scope
from memory_core.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    NotInitialisedError,
    ValidationError,
    VersionConflictError,
)

ALICE = Scope(user_id="alice")
BOB = Scope(user_id="bob")


def test_each_fact_is_stored_with_its_scope_and_a_vector(memory):
    use(memory, facts("Alice plays the violin", "Alice lives in Oslo"))
    scope = Scope(project_id="p", user_id="alice", agent_id="a", session_id="s")

    done = memory.conversation.add_messages(
        [{"role": "user", "content": "I play the violin."}], scope
    )

    stored = memory.conversation.list_facts(scope).facts
    assert ("stored", 2) == (done.outcome, len(done.facts))
    assert {fact.id for fact in done.facts} == {fact.id for fact in stored}
    assert {("p", "alice", "a", "s")} == {
        (fact.project_id, fact.user_id, fact.agent_id, fact.session_id) for fact in stored
    }
    found = memory.conversation.search_facts("violin", scope, limit=1)
    assert ["Alice plays the violin"] == [fact.content for fact in found.facts]
    assert 0 == memory.follower.pending()


def test_nothing_memorable_stores_nothing(memory):
    use(memory, "[]")

    done = memory.conversation.add_messages("Hello there!", ALICE)

    assert ("nothing_memorable", []) == (done.outcome, done.facts)
    assert [] == contents(memory, ALICE)


def test_given_facts_do_not_call_an_extractor(memory):
    model = use(memory)

    done = memory.conversation.add_facts(["Alice lives in Oslo", {"content": "Alice skis"}], ALICE)

    assert ("stored", 2, []) == (done.outcome, len(done.facts), model.asked)


def test_text_is_stored_unchanged_without_an_extractor(memory):
    done = memory.conversation.add_messages(
        [
            {"role": "system", "content": "Be nice."},
            {"role": "user", "content": "I moved to Oslo."},
            {"role": "assistant", "content": "Congratulations!"},
        ],
        ALICE,
    )

    assert "stored unchanged" in done.notice
    assert "not stored as facts of the user: 1." in done.notice
    assert ["I moved to Oslo."] == contents(memory, ALICE)


@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize("role", ["assistant", "Model", "ai", "bot"])
def test_turns_of_an_assistant_are_not_facts_of_the_user(memory, role, infer):
    said = [{"role": role, "content": "I can book flights."}]

    done = memory.conversation.add_messages(said, ALICE, infer=infer)

    assert ("nothing_memorable", []) == (done.outcome, done.facts)
    assert "stored unchanged" not in done.notice
    assert [] == contents(memory, ALICE)


def test_methods_of_a_closed_memory_raise_clear_error(memory):
    use(memory, facts("x"))
    talk = memory.conversation
    calls = {
        "add": lambda: talk.add_messages("Text", ALICE),
        "add as it is": lambda: talk.add_messages("Text", ALICE, infer=False),
        "add_facts": lambda: talk.add_facts(["Fact"], ALICE),
        "extract": lambda: talk.extract_facts("Text", ALICE),
        "submit": lambda: talk.submit_facts("j", ["Fact"]),
        "retry": lambda: talk.retry_job("j"),
        "jobs": lambda: talk.list_jobs(ALICE),
        "job": lambda: talk.get_job("j"),
        "search": lambda: talk.search_facts("Text", ALICE),
        "all": lambda: talk.list_facts(ALICE),
        "get": lambda: talk.get_fact("f", ALICE),
        "update": lambda: talk.update_fact("f", "Text", ALICE),
        "delete": lambda: talk.delete_fact("f", ALICE),
        "delete_all": lambda: talk.delete_all_facts(ALICE),
        "upkeep": memory.fact_upkeep.run,
    }
    memory.close()

    for name, call in calls.items():
        with pytest.raises(NotInitialisedError):
            call()
            pytest.fail(name)


def test_scores_are_bounded_and_users_isolated(memory):
    one = memory.conversation.add_facts(["Alice likes jazz", "Alice lives in Oslo"], ALICE)
    memory.conversation.add_facts(["Bob likes jazz"], BOB)

    found = memory.conversation.search_facts("who likes jazz", ALICE).facts

    scores = [fact.score for fact in found]
    assert ("Alice likes jazz", sorted(scores, reverse=True)) == (found[0].content, scores)
    assert all(0 <= score <= 1 for score in scores)
    assert {"alice"} == {fact.user_id for fact in found}
    memory.conversation.delete_fact(one.facts[0].id, ALICE)
    assert ["Alice lives in Oslo"] == contents(memory, ALICE)
    memory.conversation.delete_all_facts(ALICE)
    assert ([], ["Bob likes jazz"]) == (contents(memory, ALICE), contents(memory, BOB))


def test_an_update_keeps_the_id_and_the_age_of_a_fact(memory, clock):
    id = memory.conversation.add_facts(["Alice lives in Oslo"], ALICE).facts[0].id
    before = memory.conversation.get_fact(id, ALICE)
    clock.advance(minutes=1)

    changed = memory.conversation.update_fact(id, "Alice plays the violin", ALICE)

    assert (before.id, before.created_at) == (changed.id, changed.created_at)
    assert changed.updated_at > before.updated_at
    assert 1 == memory.conversation.list_facts(ALICE).total
    found = memory.search.search_memory("violin", user_id="alice", channel_weights={"lexical": 0})
    assert ["Alice plays the violin"] == [hit.text for hit in found.hits]


def test_stale_updates_are_conflicts(memory):
    id = memory.conversation.add_facts(["Alice lives in Oslo"], ALICE).facts[0].id
    seen = memory.conversation.update_fact(id, "Alice lives in Rome", ALICE).version
    memory.conversation.update_fact(id, "Alice lives in Bonn", ALICE)

    with pytest.raises(VersionConflictError):
        memory.conversation.update_fact(id, "Alice lives in Ulm", ALICE, expected_version=seen)


def test_empty_scope_requires_confirmation(memory):
    memory.conversation.add_facts(["The sky is blue"])
    memory.conversation.add_facts(["Alice skis"], ALICE)

    with pytest.raises(ForbiddenError, match="without_scope"):
        memory.conversation.delete_all_facts()
    gone = memory.conversation.delete_all_facts(without_scope=True)

    assert 1 == gone.facts
    assert ["Alice skis"] == contents(memory, ALICE)


def test_invalid_conversations_are_rejected(memory):
    for given, why in [
        ([], "No messages"),
        ([{"role": "user"}], "Message 1"),
        ([{"content": "Hi", "tool": "x"}], "'tool'"),
        (["Hi", " "], "Message 2"),
        ([{"role": "system", "content": "Be nice."}], "system"),
    ]:
        with pytest.raises(ValidationError, match=why):
            memory.conversation.add_messages(given, ALICE)
    with pytest.raises(ValidationError, match="as a document"):
        memory.conversation.add_messages("x" * 9000, ALICE)
    with pytest.raises(ValidationError, match="metadata has"):
        memory.conversation.add_messages("I ski.", ALICE, metadata={"note": "x" * 3000})
    with pytest.raises(ValidationError, match="no fact"):
        memory.conversation.add_facts([" "], ALICE)


def test_fact_pages_have_a_cursor(memory, clock):
    for number in range(5):
        clock.advance(seconds=1)
        memory.conversation.add_facts([f"Note {number} of Alice"], ALICE)
    read, cursor = [], ""

    for _ in range(3):
        page = memory.conversation.list_facts(ALICE, limit=2, cursor=cursor)
        read += [fact.content for fact in page.facts]
        cursor = page.cursor

    assert ([f"Note {n} of Alice" for n in (4, 3, 2, 1, 0)], "", 5) == (read, cursor, page.total)


def test_a_fact_of_a_user_is_not_found_by_its_id_alone(memory):
    id = memory.conversation.add_facts(["Alice skis"], ALICE).facts[0].id

    for call in (
        lambda: memory.conversation.get_fact(id),
        lambda: memory.conversation.update_fact(id, "Alice swims", BOB),
        lambda: memory.conversation.delete_fact(id),
    ):
        with pytest.raises(NotFoundError, match="user_id"):
            call()
    assert "Alice skis" == memory.conversation.get_fact(id, ALICE).content


def test_an_extractor_can_be_passed_per_call(memory):
    model = use(memory)

    done = memory.conversation.add_messages(
        "I ski.", ALICE, extractor=scripted(facts("Alice skis"))
    )

    assert ("stored", []) == (done.outcome, model.asked)


def test_completed_jobs_reject_further_facts(memory):
    job_id = memory.conversation.extract_facts("I ski.", ALICE).job_id
    memory.conversation.submit_facts(job_id, ["Alice skis"])

    with pytest.raises(ConflictError, match="done: stored"):
        memory.conversation.submit_facts(job_id, ["Alice skis"])
