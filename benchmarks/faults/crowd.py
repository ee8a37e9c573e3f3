"""
Many processes on one database: writers, two librarians, a reindexer, two readers.

Each process reports its acknowledged writes and call times. No call may fail,
nothing that was promised may be missing or be there twice, and those who read all along must
hold the same index in the end.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from memory_core.context import acting_as
from memory_core.errors import ConflictError
from memory_core.memory import Memory

from .checking import Acknowledged, complaints_of, ids_of
from .children import PATIENCE, Failed, Question
from .worlds import fill, open_small, write_entry

# As many names as all writers try to be the first to write.
SHARED = 10
WRITTEN, OVER = "written", "over"

# Seconds between two calls of a reader or of maintenance.
PAUSE = 0.05

Said = list[Acknowledged]


@dataclass
class Crowd:
    """What came of it."""

    promised: int = 0
    seconds: float = 0.0
    read_alone: float = 0.0
    read_in_company: float = 0.0
    cycles: int = 0
    busy: int = 0
    reindexed: int = 0
    patience: float = PATIENCE
    complaints: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Seen:
    """Results of a continuous reader: call times and everything found at the end."""

    milliseconds: float
    everything: list[tuple[int, float]]
    reads: int


def gather(path: Path, *, writers: int, writes: int) -> Crowd:
    """Let everybody at it at once, and return what came of it."""
    # A second for each write, on the slowest of machines.
    crowd = Crowd(patience=PATIENCE + writers * writes)
    memory = open_small(path)
    fill(memory, 6)
    memory.catch_up()
    crowd.read_alone = _median(memory, 5)
    started = time.monotonic()
    readers = [Question(_read_all, path, actor) for actor in ("dashboard", "reader")]
    others = [Question(_tidy, path, f"librarian {n}") for n in range(2)]
    others.append(Question(_reindex, path))
    at_work = [Question(_write, path, number, writes) for number in range(writers)]
    promised: Said = []
    for question in at_work:
        promised += _outcome(question, crowd, [])
    crowd.seconds, crowd.promised = time.monotonic() - started, len(promised)
    path.with_name(WRITTEN).touch()
    for question in others:
        counts = _outcome(question, crowd, Counter[str]())
        crowd.cycles += counts["cycles"]
        crowd.busy += counts["busy"]
        crowd.reindexed += counts["reindexed"]
    crowd.complaints += complaints_of(memory, promised) + _twice(memory)
    path.with_name(OVER).touch()
    seen = [each for each in (_outcome(question, crowd, None) for question in readers) if each]
    crowd.read_in_company = max((each.milliseconds for each in seen), default=0.0)
    if any(each.everything != _everything(memory) for each in seen):
        crowd.complaints.append("two processes hold different indexes")
    memory.close()
    return crowd


def _outcome(question: Question, crowd: Crowd, otherwise: Any) -> Any:
    try:
        return question.answer(crowd.patience)
    except Failed as error:
        crowd.complaints.append(str(error)[-1500:])
        return otherwise


def _write(path: Path, number: int, writes: int) -> Said:
    memory, said = open_small(path), []
    steps = (_entity, _observation, _entry, _bottle)
    with acting_as(f"writer {number}"):
        for turn in range(writes):
            said.append(steps[turn % len(steps)](memory, number, turn))
            if turn % 8 == 0:
                memory.search.search_memory(f"w{number}t{turn}")
    memory.close()
    return said


def _entity(memory: Memory, number: int, turn: int) -> Acknowledged:
    # Every other one has a name that all writers want.
    shared = turn % 8 == 0
    name = f"Shared {turn // 8 % SHARED}" if shared else f"w{number}t{turn}"
    made = memory.graph.create_entity(name, "technology", observations=[f"of w{number}t{turn}"])
    return Acknowledged("entities", made.entity.row_id)


def _observation(memory: Memory, number: int, turn: int) -> Acknowledged:
    text = f"seen by w{number} at turn t{turn}"
    return Acknowledged(
        "observations", memory.observations.add_observation("rope-0", text).observation.id, text
    )


def _entry(memory: Memory, number: int, turn: int) -> Acknowledged:
    return Acknowledged("entries", write_entry(memory, f"entry of w{number} at turn t{turn}"))


def _bottle(memory: Memory, number: int, turn: int) -> Acknowledged:
    return Acknowledged("bottles", memory.bottles.create_bottle(f"w{number} t{turn}").bottle.id)


def _tidy(path: Path, actor: str) -> Counter[str]:
    memory, counts = open_small(path), Counter[str]()
    with acting_as(actor):
        # However late it comes, it has been at work when it goes.
        while _go_on(path, WRITTEN) or not counts["cycles"]:
            try:
                memory.librarian.run_cycle()
                counts["cycles"] += 1
            except ConflictError:
                # The other one is at work: that is an answer, and the right one.
                counts["busy"] += 1
            memory.groups.rebuild_groups()
            memory.entry_upkeep.run()
    memory.close()
    return counts


def _reindex(path: Path) -> Counter[str]:
    memory, counts = open_small(path), Counter[str]()
    while _go_on(path, WRITTEN) or not counts["reindexed"]:
        memory.reindex()
        memory.upkeep.create_backup()
        counts["reindexed"] += 1
    memory.close()
    return counts


def _read_all(path: Path, actor: str) -> _Seen:
    memory = open_small(path)
    took: list[float] = []
    with acting_as(actor):
        while _go_on(path, OVER) or not took:
            for page in PAGES:
                page(memory)
            took.append(_median(memory, 1))
    everything = _everything(memory)
    memory.close()
    return _Seen(statistics.median(took), everything, len(took))


def _go_on(path: Path, until: str) -> bool:
    threading.Event().wait(PAUSE)
    return not path.with_name(until).exists()


def _median(memory: Memory, times: int) -> float:
    """Return the milliseconds that a search takes, the first one aside."""
    memory.search.search_memory("rope", project_id="*")
    took = []
    for _ in range(times):
        started = time.perf_counter()
        memory.search.search_memory("rope holds knot", project_id="*")
        took.append((time.perf_counter() - started) * 1000)
    return statistics.median(took)


def _everything(memory: Memory) -> list[tuple[int, float]]:
    """Return every piece that the index holds, with its cosine to one vector."""
    (vector,) = memory.embedder.embed(["rope holds knot"])
    with memory.db.read() as connection:
        return memory.index.search(connection, np.asarray(vector), limit=1_000_000)


def _twice(memory: Memory) -> list[str]:
    """Report names of two entities, and missing shared names."""
    names: Counter[str] = Counter()
    cursor = ""
    while True:
        page = memory.graph.list_entities(limit=200, cursor=cursor, node_type="technology")
        names.update(entity.name for entity in page.entities)
        cursor = page.cursor
        if not cursor:
            break
    twice = [name for name, count in names.items() if count > 1]
    found = [f"there twice: {twice}"] if twice else []
    if len(ids_of(memory, "entities")) < len(names):
        found.append("entities are missing")
    return found


PAGES: tuple[Callable[[Memory], object], ...] = (
    lambda memory: memory.health.health_report(thorough=False),
    lambda memory: memory.graph.list_entities(),
    lambda memory: memory.exploration.hologram("rope-0"),
    lambda memory: memory.bottles.list_bottles(project_id="*"),
    lambda memory: memory.groups.list_groups(),
    lambda memory: memory.librarian.list_cycles(project_id="*"),
    lambda memory: memory.entry_query.query_entries("rope"),
)
