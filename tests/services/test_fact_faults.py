"""A fault between any two steps of writing a fact leaves the state before, or the one after."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripted import facts, merged, use
from support import HandClock, HashingEmbedder

from memory_core import Scope, Settings, open_memory
from memory_core.storage.history.tracked import TRACKED

ALICE = Scope(user_id="alice")
TEA = "Alice drinks a cup of green tea with honey and lemon every morning before work"
OTHER = TEA + " at home"
NEW = TEA + " on Sundays"


ENDS = {
    "merge": [(OTHER, "superseded"), (NEW + " at home", "active")],
    "replace": [(OTHER, "superseded"), (NEW, "active")],
}


class Fault(Exception):
    """What a test lets go wrong."""


def opened(folder: Path, **settings):
    count = itertools.count(1)
    return open_memory(
        Settings(dedup_threshold=0.8, **settings),
        path=folder / "memory.db",
        embedder=HashingEmbedder(),
        clock=HandClock(),
        ids=lambda: f"id{next(count):05}",
    )


def state(memory):
    """Return all rows of knowledge, what can be found of it, and how the jobs stand."""
    with memory.db.read() as connection:
        known = [
            connection.execute(f"select * from {tracked.table} order by id").fetchall()
            for tracked in TRACKED
        ]
        return (
            known,
            connection.execute(
                "select kind, row_id, active, text from searchables order by kind, row_id"
            ).fetchall(),
            connection.execute("select entry_id from uncompared order by 1").fetchall(),
        )


@contextmanager
def failing_at(memory, number):
    """Let statement *number* of this thread's writes fail, the commits counted."""
    writing, count = False, 0

    def trace(cursor, statement, bindings):
        nonlocal writing, count
        word = statement.split(maxsplit=1)[0].lower()
        if word == "begin":
            writing = "immediate" in statement
        elif writing and word != "rollback":
            count += 1
            if count == number:
                raise Fault
        return True

    with memory.db.read() as connection:
        connection.exec_trace = trace
    yield
    with memory.db.read() as connection:
        connection.exec_trace = None


def attempted(memory, number, act):
    """Return whether *act* was done although statement *number* fails."""
    with failing_at(memory, number):
        try:
            act()
            return True
        except Fault:
            return False


@pytest.mark.parametrize("strategy", ["merge", "replace"])
def test_merges_are_atomic(tmp_path, strategy):
    memory = opened(tmp_path, dedup_strategy="off")
    memory.conversation.add_facts([TEA], ALICE)
    memory.conversation.add_facts([OTHER], ALICE)
    memory.catch_up()
    memory.close()
    memory = opened(tmp_path, dedup_strategy=strategy)
    use(memory, *[merged(NEW + " at home")] * 200)
    before = state(memory)

    for number in itertools.count(1):
        done = attempted(memory, number, lambda: memory.conversation.add_facts([NEW], ALICE))
        if done or before != state(memory):
            break

    facts_now = reported(memory)
    memory.close()
    assert number > 10
    assert ENDS[strategy] == facts_now


def reported(memory, scope=ALICE):
    """Return what the facts say and how they stand."""
    found = memory.conversation.list_facts(scope, status="all").facts
    return sorted((fact.content, fact.status) for fact in found)


def test_jobs_complete_once_despite_failing_statements(tmp_path):
    memory = opened(tmp_path)
    use(memory, *[facts("She skis", "She swims")] * 200)

    for number in itertools.count(1):
        scope = Scope(user_id=f"user {number}")
        done = attempted(
            memory, number, lambda s=scope: memory.conversation.add_messages("I ski.", s)
        )
        stored = memory.conversation.list_jobs(scope).total
        memory.db.clock.advance(hours=1)
        memory.fact_upkeep.retry_due()

        finished = [job.status for job in memory.conversation.list_jobs(scope).jobs]
        known = [content for content, _ in reported(memory, scope)]
        assert (["stored"] * stored, ["She skis", "She swims"] * stored) == (finished, known)
        if done:
            break

    memory.close()
    assert number > 10
