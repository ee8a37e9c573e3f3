"""Files that are not as they were left: the index, the full text, the log, the memory itself."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw

from memory_core.errors import MemoryCoreError
from memory_core.memory import Memory
from memory_core.search.snapshot import snapshot_of

from .acts import write_one
from .checking import Acknowledged, complaints, complaints_of, ids_of
from .worlds import fill, open_small

# As many changes make an index worth saving.
FACTS = 1100
QUERIES = ("rope holds knot 3", "knot7 knotholds knotthing0", "dough seen on day", "queue")


def make_indexed(path: Path) -> None:
    """Make a memory that is large enough for its index to be saved, and save it."""
    memory = open_small(path)
    fill(memory, 6)
    write_facts(memory, "rope-0", FACTS)
    memory.search.search_memory("rope")
    memory.close()
    assert snapshot_of(path).exists()


def write_facts(memory: Memory, entity_id: str, count: int, what: str = "knot") -> None:
    with memory.db.act("facts"):
        for number in range(count):
            memory.observations.add_observation(entity_id, fact(number, what))
    memory.catch_up()


def fact(number: int, what: str) -> str:
    """Return a text that shares no word with any of another *what*."""
    return f"{what}{number} {what}holds {what}thing{number % 7}"


def answers(path: Path) -> list[list[str]]:
    """Return what is found by meaning alone, which is what the index is for."""
    memory = open_small(path)
    memory.embedder.get()
    try:
        return [
            [
                hit.row_id
                for hit in memory.search.search_memory(
                    query, project_id="*", channel_weights={"lexical": 0}
                ).hits
            ]
            for query in QUERIES
        ]
    finally:
        memory.close()


def damaged_index(base: Path, path: Path, chance: random.Random) -> list[str]:
    """Damage the saved index of a copy of *base*, and return what is wrong with the answers."""
    shutil.copytree(base.parent, path.parent, dirs_exist_ok=True)
    wanted = answers(path)
    index = snapshot_of(path)
    shutil.copy(snapshot_of(base), index)
    kind = chance.choice(sorted(_DAMAGES))
    _DAMAGES[kind](index, chance)
    found = [] if answers(path) == wanted else ["other answers"]
    return [f"index {kind}: {each}" for each in found + complaints(path)]


def cut_log(path: Path, cut: float, seed: int) -> list[str]:
    """
    Write without folding the log in, cut the log at a share of its length, and look.

    What is there must be what was there at some moment: the first so many of the writes, whole.
    """
    memory = open_small(path)
    fill(memory, 2)
    memory.catch_up()
    memory.close()
    said: list[Acknowledged] = []
    memory = open_small(path)
    with memory.db.read() as connection:
        connection.pragma("wal_autocheckpoint", 0)
    for number in range(4):
        write_one(memory, said.append, f"cut{seed}x{number}")
    # The state a crash leaves: both files as they are, without a clean close.
    with_log = path.with_name("crashed.db")
    for ending in ("", "-wal"):
        shutil.copy(path.with_name(path.name + ending), with_log.with_name(f"crashed.db{ending}"))
    memory.close()
    log = with_log.with_name("crashed.db-wal")
    os.truncate(log, int(log.stat().st_size * cut))
    return complaints(with_log) + _gaps(with_log, said)


def full_text_out_of_step(path: Path, chance: random.Random) -> list[str]:
    """Delete rows from the full-text index; return what was not detected or not repaired."""
    memory = open_small(path)
    fill(memory, 4)
    memory.catch_up()
    memory.close()
    with closing(apsw.Connection(str(path))) as raw:
        rows = [row for (row,) in raw.execute("select id from pieces")]
        for row in chance.sample(rows, chance.randint(1, 5)):
            raw.execute("delete from piece_terms where rowid = ?", (row,))
    memory = open_small(path)
    seen = [problem.what for problem in memory.health.health_report().problems]
    found = [] if any("full-text" in what for what in seen) else [f"not noticed: {seen}"]
    memory.health.checkup(repair=True)
    found += complaints_of(memory)
    memory.close()
    return found


def damaged_memory(path: Path, chance: random.Random) -> list[str]:
    """Flip bits of the memory itself; return what came out as anything but an error of ours."""
    memory = open_small(path)
    fill(memory, 4)
    memory.close()
    contents = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 40)):
        # Beyond the header, which says whose file it is.
        place = chance.randrange(100, len(contents))
        contents[place] ^= 1 << chance.randrange(8)
    path.write_bytes(contents)
    try:
        memory = open_small(path)
        try:
            memory.search.search_memory("rope")
            memory.graph.create_entity("after", "person")
            memory.health.checkup(repair=True)
        finally:
            memory.close()
    except MemoryCoreError:
        return []
    except Exception as error:  # noqa: BLE001 - what is not ours is what is looked for
        return [f"{type(error).__name__}: {error}"]
    return []


def _gaps(path: Path, said: list[Acknowledged]) -> list[str]:
    memory = open_small(path)
    there = [row.id in ids_of(memory, row.table) for row in said]
    memory.close()
    return [] if there == sorted(there, reverse=True) else [f"gaps: {there}"]


def _truncate(index: Path, chance: random.Random) -> None:
    os.truncate(index, chance.randrange(index.stat().st_size))


def _flip(index: Path, chance: random.Random) -> None:
    contents = bytearray(index.read_bytes())
    contents[chance.randrange(len(contents))] ^= 1 << chance.randrange(8)
    index.write_bytes(contents)


def _noise(index: Path, chance: random.Random) -> None:
    index.write_bytes(chance.randbytes(chance.randrange(100_000)))


def _version(index: Path, chance: random.Random) -> None:
    contents = bytearray(index.read_bytes())
    contents[7] = ord(str(chance.randint(2, 9)))
    index.write_bytes(contents)


def _remove_index(index: Path, chance: random.Random) -> None:
    index.unlink()


def _folder(index: Path, chance: random.Random) -> None:
    index.unlink()
    index.mkdir()


_DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "truncated": _truncate,
    "flipped": _flip,
    "foreign": _noise,
    "of another version": _version,
    "missing": _remove_index,
    "a folder": _folder,
}
