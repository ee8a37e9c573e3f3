from __future__ import annotations

from scripted import facts, merged, unreachable, use

from memory_core import Scope
from memory_core.model.facts.fact_review import FactScopeFilter

ALICE = Scope(project_id="p", user_id="alice", agent_id="tutor")
BOB = Scope(project_id="p", user_id="bob")
ELSEWHERE = Scope(project_id="q", user_id="alice")
EVERYBODY = FactScopeFilter(project_id="p")

# Long enough that one word more leaves the vectors above the threshold.
TEA = "Alice drinks a cup of green tea with honey and lemon every morning before work"
MORE_TEA = TEA + " on Sundays"
NO_TEA = TEA.replace("drinks", "never drinks")


def contents(memory, whose, **wanted):
    return [fact.content for fact in memory.fact_review.list_facts(whose, **wanted).facts]


def fates(memory, whose=EVERYBODY):
    return [(each.fate, each.former) for each in memory.fact_review.list_merged(whose).fused]


def test_facts_of_all_users_are_listed(memory):
    memory.conversation.add_facts(["Alice skis"], ALICE)
    memory.conversation.add_facts(["Bob swims"], BOB)
    memory.conversation.add_facts(["The harbour is deep"], Scope(project_id="p"))
    memory.conversation.add_facts(["Alice sings"], ELSEWHERE)

    assert {"Alice skis", "Bob swims", "The harbour is deep"} == set(contents(memory, EVERYBODY))
    assert 4 == len(contents(memory, FactScopeFilter()))
    assert ["Bob swims"] == contents(memory, FactScopeFilter(project_id="p", user_id="bob"))
    assert ["The harbour is deep"] == contents(memory, FactScopeFilter(project_id="p", user_id=""))
    assert ["Alice skis"] == contents(memory, FactScopeFilter(project_id="p", agent_id="tutor"))
    assert ["Bob swims"] == contents(memory, EVERYBODY, words="SWIM")


def test_facts_are_listed_page_by_page(memory):
    memory.conversation.add_facts(["Alice skis", "Alice swims", "Alice sings"], ALICE)
    first = memory.fact_review.list_facts(EVERYBODY, limit=2)
    second = memory.fact_review.list_facts(EVERYBODY, limit=2, cursor=first.cursor)

    assert (2, 3, 1, "") == (len(first.facts), first.total, len(second.facts), second.cursor)
    assert 3 == len({fact.id for fact in (*first.facts, *second.facts)})


def test_holders_are_scopes_with_facts_or_conversations(memory):
    memory.conversation.add_facts(["Alice skis", "Alice swims"], ALICE)
    memory.conversation.extract_facts("I swim.", BOB)

    held = [(h.user_id, h.agent_id, h.facts, h.jobs) for h in memory.fact_review.list_holders("p")]
    assert [("alice", "tutor", 2, 0), ("bob", "", 0, 1)] == held
    assert [] == memory.fact_review.list_holders("q")


def test_conversations_of_all_users_are_listed_by_status(memory):
    waiting = memory.conversation.extract_facts("I ski.", ALICE).job_id
    use(memory, unreachable())
    failed = memory.conversation.add_messages("I swim.", BOB).job_id
    review = memory.fact_review

    page = review.list_jobs(EVERYBODY)
    assert ({waiting, failed}, 2) == ({job.id for job in page.jobs}, page.unfinished)
    assert [failed] == [job.id for job in review.list_jobs(EVERYBODY, status="failed").jobs]
    assert [waiting] == [job.id for job in review.list_jobs(FactScopeFilter(user_id="alice")).jobs]
    assert [] == page.jobs[0].messages
    assert "I ski." == review.get_job(waiting).messages[0].content


def test_merged_facts_are_listed_with_their_former_text(memory, clock):
    use(memory, facts(MORE_TEA), merged(MORE_TEA))
    memory.conversation.add_facts([TEA], ALICE)
    clock.advance(hours=1)
    done = memory.conversation.add_messages("I drink tea on Sundays, too.", ALICE)

    page = memory.fact_review.list_merged(EVERYBODY)
    (fused,) = page.fused
    assert ("rewritten", TEA, MORE_TEA, 1) == (
        fused.fate,
        fused.former,
        fused.became,
        page.total,
    )
    assert done.batch_id == fused.batch_id


def test_superseded_facts_are_listed_with_successors_until_undo(memory):
    memory.conversation.add_facts([TEA], ALICE)
    done = memory.conversation.add_facts([NO_TEA], ALICE)
    (fused,) = memory.fact_review.list_merged(EVERYBODY).fused
    counts = memory.fact_review.count_facts(EVERYBODY)
    no_user = memory.fact_review.list_merged(FactScopeFilter(project_id="p", user_id="")).total
    memory.undo.undo(done.batch_id, project_id="p", user_id="alice")

    assert ("superseded", TEA) == (fused.fate, fused.former)
    assert fused.successor and NO_TEA == fused.successor.content
    assert (1, 1, 0) == (counts.active, counts.superseded, no_user)
    assert [] == fates(memory)


def test_manual_edits_are_not_merges(memory):
    (kept,) = memory.conversation.add_facts([TEA], ALICE).facts
    memory.conversation.update_fact(kept.id, "Alice drinks coffee", ALICE)

    assert [] == fates(memory)
