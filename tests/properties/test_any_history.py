from __future__ import annotations

import contextlib
import itertools
import json
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from support import HandClock, HashingEmbedder

from memory_core import MemoryCoreError, open_memory
from memory_core.storage.history import audit_log, trimming
from memory_core.storage.history.tracked import TRACKED
from memory_core.storage.search import full_text

WORDS = st.sampled_from(["tea", "queue", "retry", "café", "部署方案", "gpt-4o-mini", "orders API"])
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
KINDS = st.sampled_from(["service", "concept", "technology"])
SESSIONS = st.sampled_from(["", "s1", "s2"])

# SQLite takes bare columns next to max() from the row with the maximum.
STATES_THEN = """
select row_id, state
from (
    select row_id, state, max(seq)
    from changes
    where kind = :kind and seq <= :seq
    group by row_id
)
where state is not null
order by row_id
"""


class AnyHistory(RuleBasedStateMachine):
    entities = Bundle("entities")
    observations = Bundle("observations")

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = HandClock()
        self.count = itertools.count(1)
        self.remembered = []
        self.open()

    def open(self):
        self.memory = open_memory(
            path=Path(self.folder.name) / "m.db",
            embedder=HashingEmbedder(),
            clock=self.clock,
            ids=lambda: f"id{next(self.count):05}",
        )

    def teardown(self):
        self.memory.close()
        self.folder.cleanup()

    @rule(target=entities, name=TEXTS, kind=KINDS, facts=st.lists(TEXTS, max_size=2))
    def create(self, name, kind, facts):
        with contextlib.suppress(MemoryCoreError):
            return self.memory.graph.create_entity(name, kind, observations=facts).entity.id
        return "missing"

    @rule(target=observations, entity=entities, content=TEXTS, session=SESSIONS)
    def observe(self, entity, content, session):
        with contextlib.suppress(MemoryCoreError):
            return self.memory.observations.add_observation(
                entity, content, session_id=session
            ).observation.id
        return "nothing"

    @rule(id=observations, content=TEXTS)
    def reword(self, id, content):
        with contextlib.suppress(MemoryCoreError):
            self.memory.observations.update_observation(id, content)

    @rule(target=observations, id=observations, content=TEXTS)
    def supersede(self, id, content):
        with contextlib.suppress(MemoryCoreError):
            return self.memory.observations.supersede_observation(id, content).observation.id
        return "nothing"

    @rule(start=entities, end=entities, weight=st.floats(-2, 2))
    def relate(self, start, end, weight):
        with contextlib.suppress(MemoryCoreError):
            self.memory.relations.create_relation(start, end, "RELATED_TO", weight=weight)

    @rule(entity=entities, name=TEXTS)
    def rename(self, entity, name):
        with contextlib.suppress(MemoryCoreError):
            self.memory.graph.update_entity(entity, name=name, properties={"note": name})

    @rule(keep=entities, other=entities)
    def merge(self, keep, other):
        with contextlib.suppress(MemoryCoreError):
            self.memory.graph.merge_entities(keep, [other])

    @rule(entity=entities)
    def archive(self, entity):
        with contextlib.suppress(MemoryCoreError):
            self.memory.lifecycle.archive_entities(entity)

    @rule(entity=entities)
    def restore(self, entity):
        with contextlib.suppress(MemoryCoreError):
            self.memory.lifecycle.restore_entity(entity)

    @rule(entity=entities)
    def delete(self, entity):
        with contextlib.suppress(MemoryCoreError):
            self.memory.graph.delete_entity(entity)

    @rule(back=st.integers(1, 12))
    def undo(self, back):
        with self.memory.db.read() as connection:
            seq = audit_log.newest(connection) - back
        with contextlib.suppress(MemoryCoreError):
            self.memory.undo.undo(seq=max(1, seq))

    @rule(title=st.sampled_from(["Runbook", "Notes"]), text=TEXTS)
    def document(self, title, text):
        self.memory.knowledge.add_document(title, f"# {title}\n\n{text}\n" * 3)

    @rule(title=st.sampled_from(["Runbook", "Notes"]))
    def drop_document(self, title):
        with contextlib.suppress(MemoryCoreError):
            self.memory.knowledge.delete_document(title)

    @rule(seconds=st.sampled_from([-3600, 0, 1, 86_400]))
    def tick(self, seconds):
        self.clock.advance(seconds=seconds)

    @rule(days=st.integers(0, 2), versions=st.integers(0, 3))
    def trim(self, days, versions):
        with contextlib.suppress(MemoryCoreError):
            self.memory.history_trimming.trim_history(
                keep_days=days, keep_versions=versions, backup=False
            )
        with self.memory.db.read() as connection:
            complete_from = trimming.trimmed(connection).seq
        self.remembered = [each for each in self.remembered if each[0] >= complete_from]

    @rule()
    def optimize(self):
        self.memory.upkeep.optimize_database()

    @rule()
    def restart(self):
        self.memory.close()
        self.open()

    @rule()
    def remember(self):
        with self.memory.db.read() as connection:
            self.remembered.append((audit_log.newest(connection), tables(connection)))

    @rule(query=TEXTS)
    def search(self, query):
        """After a search, the index holds exactly the pieces there are."""
        self.memory.catch_up()
        self.memory.search.search_memory(query)
        with self.memory.db.read() as connection:
            pieces = connection.execute("select count(*) from pieces").get
            self.memory.index.follow(connection)
        assert pieces == self.memory.index.status().vectors

    @invariant()
    def every_remembered_past_reads_back(self):
        with self.memory.db.read() as connection:
            now = (audit_log.newest(connection), tables(connection))
            for seq, then in [*self.remembered[-3:], now]:
                for tracked in TRACKED:
                    assert then[tracked.table] == states_then(connection, tracked.table, seq)

    @invariant()
    def time_never_runs_backwards(self):
        with self.memory.db.read() as connection:
            times = [row["at"] for row in connection.execute("select at from changes order by seq")]
        assert sorted(times) == times

    @invariant()
    def what_is_searched_is_what_is_there(self):
        with self.memory.db.read() as connection:
            live = {
                (row["kind"], row["row_id"])
                for row in connection.execute(
                    "select kind, row_id from searchables where text is not null"
                )
            }
            there = {
                (tracked.table, row["id"])
                for tracked in TRACKED
                if tracked.searched
                for row in connection.execute(f"select id from {tracked.table}")
            }
            cut = {row["id"] >> 24 for row in connection.execute("select id from pieces")}
            ids = {
                row["id"]
                for row in connection.execute("select id from searchables where text is not null")
            }
        assert there == live
        assert ids == cut

    @rule()
    def full_text_is_sound(self):
        with self.memory.db.write("check") as connection:
            full_text.check(connection)


def states_then(connection, kind, seq):
    """Return every row of *kind* as the journal has it after change *seq*, by id."""
    rows = connection.execute(STATES_THEN, {"kind": kind, "seq": seq})
    return {row["row_id"]: json.loads(row["state"]) for row in rows}


def tables(connection):
    return {
        tracked.table: {
            row["id"]: row for row in connection.execute(f"select * from {tracked.table}")
        }
        for tracked in TRACKED
    }


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
