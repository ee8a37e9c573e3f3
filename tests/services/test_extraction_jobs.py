from __future__ import annotations

import pytest
from scripted import contents, facts, scripted, unreachable, use

from memory_core import Scope, track_progress
from memory_core.errors import (
    ConflictError,
    ExtractionError,
    LanguageModelUnavailableError,
    NotFoundError,
)
from memory_core.extract.model_extractor import ModelExtractor

ALICE = Scope(user_id="alice")
SAID = [{"role": "user", "content": "I ski every winter."}]


def jobs(memory, scope=ALICE, **wanted):
    return [
        (job.status, job.attempts) for job in memory.conversation.list_jobs(scope, **wanted).jobs
    ]


@pytest.mark.parametrize(
    "answer",
    [
        unreachable(),
        "I am sorry, but I cannot help with that.",
        "",
        '[{"content": 5}, {"content": ""}]',
    ],
)
def test_model_failure_is_reported_and_the_job_kept(memory, answer):
    use(memory, answer)

    done = memory.conversation.add_messages(SAID, ALICE)

    assert ("extraction_failed", [], "") == (done.outcome, done.facts, done.batch_id)
    assert done.reason and "No fact was stored" in done.notice
    kept = memory.conversation.get_job(done.job_id)
    assert ("failed", "I ski every winter.") == (kept.status, kept.messages[0].content)
    assert [] == contents(memory, ALICE)


def test_invalid_model_facts_are_skipped_and_reported(memory):
    use(
        memory,
        f'Sure!\n```json\n["Alice skis", 7, "", "{"x" * 2000}", {{"fact": "Alice swims"}}]```',
    )

    done = memory.conversation.add_messages(SAID, ALICE)

    assert ["Alice skis", "Alice swims"] == contents(memory, ALICE)
    assert ("stored", 3) == (done.outcome, len(done.refused))


def test_failed_jobs_are_retried_with_backoff(memory, clock):
    model = use(memory)
    job_id = memory.conversation.add_messages(SAID, ALICE).job_id
    pauses = []

    while (again := memory.conversation.get_job(job_id).next_attempt_at) is not None:
        pauses.append((again - clock.now).total_seconds())
        assert 0 == memory.fact_upkeep.retry_due()
        clock.now = again
        assert 1 == memory.fact_upkeep.retry_due()

    assert ([60, 300, 1500, 7500], 5) == (pauses, len(model.asked))
    clock.advance(days=30)
    assert 0 == memory.fact_upkeep.run().retried
    assert "failed" == memory.conversation.get_job(job_id).status


def test_failed_job_is_completed_by_a_retry(memory, clock):
    use(memory, unreachable(), facts("Alice skis"))
    job_id = memory.conversation.add_messages(SAID, ALICE).job_id
    clock.advance(minutes=2)

    report = memory.fact_upkeep.run()

    assert (1, [("stored", 2)]) == (report.retried, jobs(memory))
    assert ["Alice skis"] == contents(memory, ALICE)
    assert [job_id] == [
        fact.metadata["job_id"] for fact in memory.conversation.list_facts(ALICE).facts
    ]


def test_cancelled_upkeep_calls_no_further_model(memory, clock):
    model = use(memory)
    for _ in range(3):
        memory.conversation.add_messages(SAID, ALICE)
    clock.advance(minutes=2)

    with track_progress(cancelled=lambda: len(model.asked) > 3):
        assert 1 == memory.fact_upkeep.retry_due()

    assert 4 == len(model.asked)


def test_late_extraction_does_not_override_newer_facts(memory, clock):
    long = "and she says so to everyone who asks her about it in the office"
    use(memory, unreachable(), facts(f"Alice lives in Berlin {long}"))
    memory.conversation.add_messages(SAID, ALICE)
    clock.advance(days=1)
    memory.conversation.add_facts([f"Alice lives in Munich {long}"], ALICE)
    clock.advance(days=1)

    memory.fact_upkeep.run()

    assert [f"Alice lives in Munich {long}"] == contents(memory, ALICE)
    assert [f"Alice lives in Berlin {long}"] == contents(memory, ALICE, status="superseded")


def test_extractor_exceptions_keep_the_conversation(memory, clock):
    class Crashing:
        name, model = "crashing", None

        def facts(self, messages):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.conversation.add_messages(SAID, ALICE, extractor=Crashing())
    assert [("pending", 1)] == jobs(memory)
    use(memory, facts("Alice skis"))
    assert 0 == memory.fact_upkeep.retry_due()
    clock.advance(hours=1)

    assert 1 == memory.fact_upkeep.retry_due()
    assert ["Alice skis"] == contents(memory, ALICE)


def test_interrupted_job_is_resumed(memory, clock, monkeypatch):
    model = use(memory, facts("Alice skis", "Alice swims", "Alice sings"))
    whole = memory.fact_writer._carried_out
    broken = [0]

    def breaks(*arguments):
        broken[0] += 1
        if broken[0] == 2:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(memory.fact_writer, "_carried_out", breaks)
    with pytest.raises(KeyboardInterrupt):
        memory.conversation.add_messages(SAID, ALICE)
    assert ["Alice skis"] == contents(memory, ALICE)
    clock.advance(hours=1)

    memory.fact_upkeep.retry_due()

    assert 1 == len(model.asked)
    assert ["Alice sings", "Alice skis", "Alice swims"] == contents(memory, ALICE)
    assert 3 == len(memory.conversation.list_jobs(ALICE).jobs[0].facts)


def test_a_job_is_claimed_by_one_worker(memory):
    class Nested:
        name, model = "nested", None

        def facts(self, messages):
            (job,) = memory.conversation.list_jobs(ALICE).jobs
            with pytest.raises(ConflictError, match="in progress"):
                memory.conversation.submit_facts(job.id, ["Alice skis"])
            return ModelExtractor(scripted(facts("Alice swims")).model).facts(messages)

    done = memory.conversation.add_messages(SAID, ALICE, extractor=Nested())

    assert ("stored", ["Alice swims"]) == (done.outcome, contents(memory, ALICE))


def test_assistants_can_submit_facts(memory):
    offered = memory.conversation.extract_facts(SAID, ALICE)
    assert ("waiting_for_assistant", []) == (offered.outcome, contents(memory, ALICE))
    assert "content" in offered.contract
    with pytest.raises(ExtractionError, match="list of objects"):
        memory.conversation.submit_facts(offered.job_id, [5])

    done = memory.conversation.submit_facts(offered.job_id, [{"content": "Alice skis"}])

    assert ("stored", ["Alice skis"]) == (done.outcome, contents(memory, ALICE))
    assert [("stored", 1)] == jobs(memory)


def test_assistants_can_complete_failed_jobs(memory):
    use(memory)
    failed = memory.conversation.add_messages(SAID, ALICE).job_id

    done = memory.conversation.submit_facts(failed, [])

    assert "nothing_memorable" == done.outcome
    assert ([("nothing_memorable", 2)], []) == (jobs(memory), jobs(memory, status="failed"))


def test_retry_without_an_extractor_raises_clear_error(memory):
    job_id = memory.conversation.extract_facts(SAID, ALICE).job_id

    with pytest.raises(LanguageModelUnavailableError, match="LLM_PROVIDER"):
        memory.conversation.retry_job(job_id)
    with pytest.raises(NotFoundError, match="list_extraction_jobs"):
        memory.conversation.retry_job("j", extractor=scripted())
    done = memory.conversation.retry_job(job_id, extractor=scripted(facts("Alice skis")))

    assert "stored" == done.outcome


def test_jobs_obey_the_scope(memory):
    use(memory, "[]", "[]")
    memory.conversation.add_messages(SAID, ALICE)
    memory.conversation.add_messages(SAID)

    assert ([1, 1], 0) == (
        [len(jobs(memory)), len(jobs(memory, Scope()))],
        len(jobs(memory, Scope(user_id="bob"))),
    )


def test_transcripts_are_deleted_after_retention(memory, clock):
    use(memory, facts("Alice skis"))
    memory.conversation.add_messages(SAID, ALICE)
    memory.conversation.add_messages(SAID, ALICE)
    clock.advance(days=29)
    assert 0 == memory.fact_upkeep.forget_old()
    clock.advance(days=2)

    assert 1 == memory.fact_upkeep.forget_old()
    assert ([("failed", 1)], ["Alice skis"]) == (jobs(memory), contents(memory, ALICE))


def test_purging_and_clearing_erase_transcripts(memory):
    use(memory, facts("Alice skis"), facts("Bob swims"))
    one = memory.conversation.add_messages(SAID, ALICE)
    memory.conversation.add_messages(SAID, ALICE)

    memory.upkeep.purge_rows([one.facts[0].id], confirm="default", user_id="alice")
    assert 1 == len(jobs(memory))
    memory.upkeep.clear_project("default", user_id="alice")

    assert [] == jobs(memory)


def test_erasing_a_user_erases_their_transcripts(memory):
    use(memory)
    memory.conversation.add_messages(SAID, ALICE)
    memory.conversation.add_messages(SAID, Scope(user_id="bob"))

    gone = memory.conversation.delete_all_facts(ALICE)

    assert (0, 1, []) == (gone.facts, gone.jobs, jobs(memory))
    assert gone.backup.endswith("-before-forget.db")
    assert "" == memory.conversation.delete_all_facts(ALICE).backup
    assert 1 == len(jobs(memory, Scope(user_id="bob")))


def test_ending_a_session_extracts_facts_from_its_messages(memory):
    use(memory, facts("Alice skis"))
    for id in ("s1", "s2"):
        memory.sessions.start_session(id, "Talk")

    one = memory.sessions.end_session("s1", "Done.", messages=["I ski every winter."])
    swim = {"role": "user", "content": "I swim.", "name": "Ann"}
    other = memory.sessions.end_session("s2", "Done.", messages=[swim])

    assert (1, 0, "closed") == (one.facts, one.kept_messages, one.session.status)
    assert ["Alice skis"] == contents(memory, Scope(session_id="s1"))
    assert (0, "closed") == (other.facts, other.session.status)
    assert "LLM_UNAVAILABLE" in other.notice
    assert swim == memory.conversation.get_job(other.job_id).messages[0].model_dump()


def test_ending_a_session_twice_leaves_no_job(memory):
    model = use(memory)
    memory.sessions.start_session("s", "Talk")
    memory.sessions.end_session("s", "Done.")

    with pytest.raises(ConflictError):
        memory.sessions.end_session("s", "Done.", messages=["I swim."])

    assert ([], []) == (model.asked, jobs(memory, Scope(session_id="s")))
