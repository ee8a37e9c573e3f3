from __future__ import annotations

import threading

import pytest
from scripted import contents, merged, use
from support import PATIENCE, HandClock, HashingEmbedder
from tables import rows

from memory_core import Scope, Settings, open_memory
from memory_core.errors import LanguageModelUnavailableError

ALICE = Scope(user_id="alice")
BOB = Scope(user_id="bob")

# Long enough that one word more leaves the vectors above the threshold.
TEA = "Alice drinks a cup of green tea with honey and lemon every morning before work"
MORE_TEA = TEA + " on Sundays"
NO_TEA = TEA.replace("drinks", "never drinks")
LATE_TEA = TEA.replace("lemon", "ginger")


@pytest.fixture
def opened(tmp_path):
    """Open memories of one file with settings of the test's own."""
    memories = []

    def open_with(embedder=None, clock=None, **settings):
        memory = open_memory(
            Settings(**settings),
            path=tmp_path / "m.db",
            embedder=embedder or HashingEmbedder(),
            clock=clock or HandClock(),
        )
        memories.append(memory)
        return memory

    yield open_with
    for memory in memories:
        memory.close()


def test_off_always_inserts(opened):
    memory = opened(dedup_strategy="off")

    outcomes = [memory.conversation.add_facts([TEA], ALICE).outcome for _ in range(2)]

    assert (["stored", "stored"], [TEA, TEA]) == (outcomes, contents(memory, ALICE))


def test_skip_keeps_the_stored_fact(opened):
    memory = opened(dedup_strategy="skip")
    first = memory.conversation.add_facts([TEA], ALICE).facts[0]

    again = memory.conversation.add_facts([MORE_TEA], ALICE)

    assert ("duplicate", "", first.id) == (again.outcome, again.batch_id, again.facts[0].id)
    assert [TEA] == contents(memory, ALICE, status="all")


def test_replace_keeps_the_more_detailed_text(opened):
    memory = opened(dedup_strategy="replace")
    first = memory.conversation.add_facts([TEA], ALICE).facts[0]

    richer = memory.conversation.add_facts([MORE_TEA], ALICE)
    poorer = memory.conversation.add_facts([TEA], ALICE)

    assert ("updated", first.id) == (richer.facts[0].outcome, richer.facts[0].id)
    assert ("duplicate", first.id) == (poorer.outcome, poorer.facts[0].id)
    assert [MORE_TEA] == contents(memory, ALICE, status="all")


def test_merge_calls_the_model_once_for_all_similar_facts(opened):
    memory = opened(dedup_strategy="off")
    memory.conversation.add_facts([TEA], ALICE)
    memory.conversation.add_facts([TEA + " at home"], ALICE)
    memory.close()
    memory = opened(dedup_threshold=0.8)
    model = use(memory, merged(TEA + " on Sundays at home"))

    done = memory.conversation.add_facts([MORE_TEA], ALICE)

    assert 1 == len(model.asked)
    assert all(text in model.asked[0].user for text in (MORE_TEA, f'{TEA}"', TEA + " at home"))
    assert ("merged", 1) == (done.facts[0].outcome, len(done.facts[0].superseded))
    assert [TEA + " on Sundays at home"] == contents(memory, ALICE)
    gone = memory.conversation.list_facts(ALICE, status="superseded").facts
    assert [done.facts[0].id] == [fact.superseded_by for fact in gone]


@pytest.mark.parametrize(
    "answer",
    [LanguageModelUnavailableError("Timed out."), "Sure! Here it is.", merged("Bob swims")],
)
def test_a_merge_that_fails_keeps_both_and_links_them(memory, answer):
    first = memory.conversation.add_facts([TEA], ALICE).facts[0]
    use(memory, answer)

    done = memory.conversation.add_facts([MORE_TEA], ALICE)

    assert ("stored", "kept_both") == (done.outcome, done.facts[0].outcome)
    assert first.id in done.facts[0].notice
    assert sorted([TEA, MORE_TEA]) == contents(memory, ALICE)
    assert first.id == memory.conversation.get_fact(done.facts[0].id, ALICE).duplicate_of


def test_later_facts_are_compared_with_merged_text(opened):
    class Strict(HashingEmbedder):
        def embed(self, texts):
            assert texts, "models refuse to embed nothing"
            return super().embed(texts)

    memory = opened(Strict())
    memory.conversation.add_facts([TEA], ALICE)
    use(memory, merged(MORE_TEA), merged(MORE_TEA + " too"))

    done = memory.conversation.add_facts([MORE_TEA, TEA + " too"], ALICE)

    assert ["merged", "merged"] == [fact.outcome for fact in done.facts]
    assert [MORE_TEA + " too"] == contents(memory, ALICE)


def test_concurrent_edits_during_a_merge_are_kept(memory):
    id = memory.conversation.add_facts([TEA], ALICE).facts[0].id
    model = use(memory, merged(MORE_TEA))
    answer = model.complete

    def slowly(prompt):
        memory.conversation.update_fact(id, "Alice swims", ALICE)
        return answer(prompt)

    model.complete = slowly

    done = memory.conversation.add_facts([MORE_TEA], ALICE)

    assert ("stored", 1) == (done.facts[0].outcome, len(model.asked))
    assert sorted(["Alice swims", MORE_TEA]) == contents(memory, ALICE)


def test_without_a_model_merge_acts_as_replace(memory):
    memory.conversation.add_facts([TEA], ALICE)

    done = memory.conversation.add_facts([MORE_TEA], ALICE)

    assert "updated" == done.facts[0].outcome
    assert [MORE_TEA] == contents(memory, ALICE)


def test_facts_below_the_threshold_stay_separate(memory):
    memory.conversation.add_facts(["Alice likes tea"], ALICE)
    memory.conversation.add_facts(["Alice likes green tea from Japan"], ALICE)

    assert 2 == memory.conversation.list_facts(ALICE).total


def test_equal_facts_of_two_users_stay_separate(memory):
    scopes = [ALICE, BOB, Scope(), Scope(user_id="alice", session_id="s"), Scope(agent_id="a")]

    outcomes = [memory.conversation.add_facts([TEA], scope).outcome for scope in scopes]

    assert ["stored"] * 5 == outcomes


def test_facts_of_one_call_are_compared_with_each_other(memory):
    done = memory.conversation.add_facts([TEA, MORE_TEA, "Alice skis", TEA + " "], ALICE)

    assert ["stored", "updated", "stored"] == [fact.outcome for fact in done.facts]
    assert sorted([MORE_TEA, "Alice skis"]) == contents(memory, ALICE)


def test_updates_of_equal_length_supersede(memory):
    old = memory.conversation.add_facts([TEA], ALICE).facts[0]
    before = rows(memory)

    done = memory.conversation.add_facts([LATE_TEA], ALICE)

    assert [LATE_TEA] == contents(memory, ALICE)
    assert [old.id] == done.facts[0].superseded
    assert [TEA] == contents(memory, ALICE, status="superseded")
    memory.undo.undo(done.batch_id, user_id="alice")
    assert before == rows(memory)


def test_negations_supersede_and_are_not_duplicates(memory):
    memory.conversation.add_facts([TEA], ALICE)

    done = memory.conversation.add_facts([NO_TEA], ALICE)

    assert "stored" == done.outcome
    assert ([NO_TEA], [TEA]) == (
        contents(memory, ALICE),
        contents(memory, ALICE, status="superseded"),
    )


@pytest.mark.parametrize("strategy", ["merge", "replace", "skip"])
def test_contradicting_short_facts_do_not_both_stay(opened, strategy):
    memory = opened(dedup_strategy=strategy)
    old = memory.conversation.add_facts(["Alice likes tea", "Alice likes coffee"], ALICE).facts
    before = rows(memory)

    done = memory.conversation.add_facts(["Alice does not like coffee"], ALICE)

    assert ("stored", [old[1].id]) == (done.facts[0].outcome, done.facts[0].superseded)
    assert ["Alice does not like coffee", "Alice likes tea"] == contents(memory, ALICE)
    assert ["Alice likes coffee"] == contents(memory, ALICE, status="superseded")
    memory.undo.undo(done.batch_id, user_id="alice")
    assert before == rows(memory)


def test_the_last_statement_of_a_call_wins(memory):
    said = ["Alice lives in Rome", "Bob lives in Bergen", "Alice lives in Oslo"]

    memory.conversation.add_facts(said, ALICE)

    assert ["Alice lives in Oslo", "Bob lives in Bergen"] == contents(memory, ALICE)


def test_contradictions_do_not_affect_other_scopes(memory):
    memory.conversation.add_facts(["The user likes coffee"], BOB)

    memory.conversation.add_facts(["The user does not like coffee"], ALICE)

    assert ["The user likes coffee"] == contents(memory, BOB)


def test_merges_can_be_undone(memory):
    memory.conversation.add_facts([TEA], ALICE)
    before = rows(memory)
    use(memory, merged(MORE_TEA))

    done = memory.conversation.add_facts([MORE_TEA], ALICE)

    assert before != rows(memory)
    memory.undo.undo(done.batch_id, user_id="alice")
    assert before == rows(memory)


class Gated(HashingEmbedder):
    """An embedder that answers only once it is let."""

    def __init__(self):
        super().__init__()
        self.gate = threading.Event()

    def embed(self, texts):
        self.gate.wait(PATIENCE)
        return super().embed(texts)


def test_facts_without_vectors_are_stored_and_compared_later(opened):
    embedder = Gated()
    memory = opened(embedder, dedup_wait_seconds=0.01)
    first = memory.conversation.add_facts([TEA], ALICE)
    second = memory.conversation.add_facts([MORE_TEA], ALICE)
    assert ["deferred", "deferred"] == [first.outcome, second.outcome]

    embedder.gate.set()
    memory.close()
    memory = opened(embedder)
    memory.catch_up()

    assert 2 == memory.fact_upkeep.compare_waiting()
    assert [MORE_TEA] == contents(memory, ALICE)
    assert 0 == memory.fact_upkeep.compare_waiting()


def test_concurrent_identical_facts_are_stored_once(memory):
    start = threading.Barrier(8)
    outcomes = []

    def say():
        start.wait(PATIENCE)
        outcomes.append(memory.conversation.add_facts([TEA], ALICE).outcome)

    threads = [threading.Thread(target=say) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    memory.catch_up()
    memory.fact_upkeep.compare_waiting()

    assert 8 == len(outcomes)
    assert [TEA] == contents(memory, ALICE)
