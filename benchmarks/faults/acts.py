"""Write operations for the kill tests, as a table.

An act runs in a process of its own, says when it has begun and what was acknowledged, and may
be cut off anywhere. What it is run on is made once and copied for each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memory_core.clock import utc_now
from memory_core.memory import Memory

from .checking import Acknowledged, ids_of
from .older_file import write_older_file
from .worlds import fill, open_small, write_entry

Say = Callable[[Acknowledged], None]

COUNT = 12
BACKUP, EXPORT = "before.db", "before.jsonl"


@dataclass(frozen=True)
class Act:
    """
    One thing that is cut off.

    Attributes:
        prepare: Makes the file that it is run on.

        run: Does it, in the process that is killed.

        endless: Whether it goes on until it is killed.

        whole: Returns what is wrong with the outcome; it is what it was, or all done.
    """

    name: str
    prepare: Callable[[Path], None]
    run: Callable[[Memory, Say], None]
    endless: bool = False
    whole: Callable[[Memory], list[str]] = lambda memory: []


def write_all(memory: Memory, say: Say) -> None:
    """Write one thing of each kind after the other, and say each when it is acknowledged."""
    with memory.db.read() as connection:
        start = int(connection.execute("select coalesce(max(seq), 0) from changes").get)
    for number in itertools.count(start):
        write_one(memory, say, f"w{number}")


def write_one(memory: Memory, say: Say, name: str) -> None:
    """Write one thing of each kind under *name*."""
    word = f"{name}x"
    made = memory.graph.create_entity(word, "technology", observations=[f"fact of {word}"])
    say(Acknowledged("entities", made.entity.row_id, f"{word} (technology)"))
    added = memory.observations.add_observation(made.entity.id, f"learnt of {word}y later")
    say(Acknowledged("observations", added.observation.id, f"learnt of {word}y later"))
    say(Acknowledged("entries", write_entry(memory, f"noted about {word}z today")))
    say(Acknowledged("bottles", memory.bottles.create_bottle(f"mind {word}").bottle.id))
    linked = memory.relations.create_relation(made.entity.id, "rope-0", "RELATED_TO")
    say(Acknowledged("relations", linked.relation.id))
    document = memory.knowledge.add_document(
        f"About {word}", f"# {word}\n\nAll of it. " * 5
    ).document
    say(Acknowledged("documents", document.id))
    # No two facts of these share a word, so none is taken for another way of saying one.
    reported = memory.conversation.add_messages(f"{word}a {word}b {word}c", infer=False)
    say(Acknowledged("entries", reported.facts[0].id))


def fill_memory(path: Path) -> None:
    memory = open_small(path)
    fill(memory, COUNT)
    memory.catch_up()
    memory.close()


def waiting(path: Path) -> None:
    """A memory whose vectors are all still to be made."""
    memory = open_small(path)
    fill(memory, COUNT * 4)
    memory.close()


def with_backup(path: Path) -> None:
    memory = open_small(path)
    fill(memory, COUNT)
    memory.upkeep.create_backup(BACKUP)
    memory.graph.create_entity("Younger", "person")
    memory.catch_up()
    memory.close()


def with_export(path: Path) -> None:
    memory = open_small(path)
    fill(memory, COUNT)
    memory.interchange.export_project(EXPORT)
    memory.upkeep.clear_project("*", project_id="*", backup=False)
    memory.close()


def of_an_older_version(path: Path) -> None:
    """A file as the first version left it."""
    write_older_file(path, 1, observations=500)


def _follow(memory: Memory, say: Say) -> None:
    memory.catch_up()


def _reindex(memory: Memory, say: Say) -> None:
    memory.reindex()


def _librarian(memory: Memory, say: Say) -> None:
    memory.librarian.run_cycle(auto_create=True)


def _backup(memory: Memory, say: Say) -> None:
    say(Acknowledged("entities", next(iter(ids_of(memory, "entities")))))
    memory.upkeep.create_backup()


def _restore(memory: Memory, say: Say) -> None:
    memory.upkeep.restore_backup(BACKUP, confirm=BACKUP)


def _import(memory: Memory, say: Say) -> None:
    memory.interchange.import_file(EXPORT)


def _groups(memory: Memory, say: Say) -> None:
    memory.groups.rebuild_groups(0.2)


def _clear(memory: Memory, say: Say) -> None:
    memory.upkeep.clear_project("*", project_id="*")


def _entities(memory: Memory, *allowed: int) -> list[str]:
    """Complain unless there are as many entities as one of *allowed*."""
    count = len(ids_of(memory, "entities"))
    return [] if count in allowed else [f"{count} entities, where {allowed} may be"]


def _proven_copies(memory: Memory) -> list[str]:
    """Every copy that has a name can be restored, and nothing else is left."""
    found = [f"left over: {path.name}" for path in memory.upkeep.folder.glob("*.part*")]
    for copy in memory.upkeep.list_backups():
        memory.upkeep.restore_backup(copy.name, confirm=copy.name)
    return found


ACTS = (
    Act("write", fill_memory, write_all, endless=True),
    Act("embed", waiting, _follow),
    Act("reindex", waiting, _reindex),
    Act("librarian", fill_memory, _librarian),
    Act("groups", fill_memory, _groups),
    Act("backup", fill_memory, _backup, whole=_proven_copies),
    Act("restore", with_backup, _restore, whole=lambda m: _entities(m, 2 * COUNT, 2 * COUNT + 1)),
    Act("import", with_export, _import, whole=lambda m: _entities(m, *range(2 * COUNT + 1))),
    Act("clear", fill_memory, _clear, whole=lambda m: _entities(m, 0, 2 * COUNT)),
    Act(
        "migrate",
        of_an_older_version,
        lambda memory, say: None,
        whole=lambda m: _entities(m, 1),
    ),
)


def do(name: str, path: Path, begun: Callable[[], None], say: Say) -> None:
    """Run the act *name* to its end, if it gets there."""
    act = next(act for act in ACTS if act.name == name)
    if name == "migrate":
        begun()
    memory = open_small(path)
    if name != "migrate":
        memory.embedder.get()
        begun()
    act.run(memory, say)
    memory.close()


def again(act: Act, path: Path) -> list[str]:
    """Do once more what was cut off, a day later; return what is wrong with the outcome."""
    memory = open_small(path, clock=lambda: utc_now() + timedelta(days=1))
    try:
        if not act.endless:
            act.run(memory, lambda row: None)
        return act.whole(memory)
    finally:
        memory.close()
