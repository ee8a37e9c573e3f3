"""Any act can be taken back exactly, and the taking back as well."""

from __future__ import annotations

import itertools
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import HandClock
from tables import rows

from memory_core import MemoryCoreError, open_memory
from memory_core.context import as_one_batch

NAMES = ["Ann", "Bob", "Cat", "Dan"]
FACTS = ["likes tea", "rides a bike", "wrote the parser"]
TYPES = ["KNOWS", "WORKS_WITH", "REPORTS_TO"]

names = st.sampled_from(NAMES)
facts = st.sampled_from(FACTS)
acts = st.one_of(
    st.tuples(st.just("create"), names, st.lists(facts, max_size=2)),
    st.tuples(st.just("rename"), names, names),
    st.tuples(st.just("weigh"), names, st.floats(allow_nan=False, allow_infinity=False)),
    st.tuples(st.just("observe"), names, facts),
    st.tuples(st.just("reword"), st.integers(0, 5), facts),
    st.tuples(st.just("supersede"), st.integers(0, 5), facts),
    st.tuples(st.just("forget"), st.integers(0, 5), st.none()),
    st.tuples(st.just("relate"), names, names),
    st.tuples(st.just("merge"), names, names),
    st.tuples(st.just("delete"), names, st.none()),
    st.tuples(st.just("archive"), names, st.none()),
)
batches = st.lists(acts, min_size=1, max_size=6)


def act(memory, kind, one, other):
    facts_known = [row["id"] for row in rows(memory)["observations"]]
    fact = facts_known[one % len(facts_known)] if isinstance(one, int) and facts_known else "none"
    {
        "create": lambda: memory.graph.create_entity(one, "person", observations=other),
        "rename": lambda: memory.graph.update_entity(one, name=f"{other} II"),
        "weigh": lambda: memory.graph.update_entity(one, properties={"weight": other}),
        "observe": lambda: memory.observations.add_observation(one, other),
        "reword": lambda: memory.observations.update_observation(fact, other),
        "supersede": lambda: memory.observations.supersede_observation(fact, other),
        "forget": lambda: memory.observations.delete_observation(fact),
        "relate": lambda: memory.relations.create_relation(one, other, TYPES[len(one + other) % 3]),
        "merge": lambda: memory.graph.merge_entities(one, [other]),
        "delete": lambda: memory.graph.delete_entity(one),
        "archive": lambda: memory.lifecycle.archive_entities(one),
    }[kind]()


def searched(memory):
    """Return what can be found, and whether a search may return it."""
    with memory.db.read() as connection:
        found = connection.execute(
            "select kind, row_id, subject_id, active, text from searchables "
            "where text is not null order by kind, row_id"
        ).fetchall()
        pieces = connection.execute("select count(*) from pieces").get
        return found, pieces, connection.execute("select * from entity_names").fetchall()


def world(folder, clock):
    """Return a memory in which four people know each other and something is known of each."""
    count = itertools.count(1)
    memory = open_memory(
        path=Path(folder) / "memory.db", clock=clock, ids=lambda: f"id{next(count):05}"
    )
    for name in NAMES:
        memory.graph.create_entity(name, "person", observations=FACTS[:2])
    for one, other in itertools.pairwise(NAMES):
        memory.relations.create_relation(one, other, "KNOWS", weight=0.1)
    return memory


def perform(memory, clock, batch, name):
    with as_one_batch(name):
        for step in batch:
            clock.advance(minutes=1)
            with suppress(MemoryCoreError):
                act(memory, *step)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(batches, max_size=3), batches)
def test_undo_of_the_newest_batch_is_reversible(before, last):
    with tempfile.TemporaryDirectory() as folder:
        clock = HandClock()
        memory = world(folder, clock)
        for number, batch in enumerate(before):
            perform(memory, clock, batch, f"before {number}")
        old = rows(memory), searched(memory)
        perform(memory, clock, last, "last")
        new = rows(memory), searched(memory)
        if old == new:
            memory.close()
            return
        clock.advance(minutes=1)

        undone = memory.undo.undo("last")
        after_undo = rows(memory), searched(memory)
        again = memory.undo.undo(undone.batch_id) if undone.batch_id else undone
        after_redo = rows(memory), searched(memory)
        memory.close()

    assert [] == undone.left_alone + again.left_alone
    assert old == after_undo
    assert new == after_redo


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(batches, min_size=2, max_size=4))
def test_undo_of_an_old_batch_keeps_later_changes(all_batches):
    with tempfile.TemporaryDirectory() as folder:
        clock = HandClock()
        memory = world(folder, clock)
        for number, batch in enumerate(all_batches):
            perform(memory, clock, batch, f"batch {number}")
        before = rows(memory)
        with memory.db.read() as connection:
            own = connection.execute(
                "select kind, row_id from changes group by kind, row_id "
                "having max(seq) = max(case when batch_id = 'batch 0' then seq end)"
            ).fetchall()
        mine = {(row["kind"], row["row_id"]) for row in own}

        with suppress(MemoryCoreError):
            memory.undo.undo("batch 0")
        after = rows(memory)
        memory.close()

    for kind, found in before.items():
        kept = [row for row in found if (kind, row["id"]) not in mine]
        still = [row for row in after[kind] if (kind, row["id"]) not in mine]
        assert kept == still
