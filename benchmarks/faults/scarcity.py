"""Too little room, and no right to write: what each act says, and what is left of it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memory_core.errors import MemoryCoreError
from memory_core.memory import Memory

from .checking import complaints_of
from .worlds import fill, open_small, write_entry

# Bytes that a file may have: the write-ahead log has more after a few dozen writes.
ROOM = 96 * 1024
COUNT = 12


class Refusal(NamedTuple):
    """How an act failed, if it did: the code of the error, and what it said."""

    act: str
    code: str
    message: str


def full_disk(path: Path) -> tuple[list[Refusal], list[str]]:
    """
    Fill the disk under a memory, try every act, and make room again.

    Return how each act failed, and what is wrong afterwards. Limits this process's files for
    good, so it runs in one of its own.
    """
    import resource

    memory = open_small(path)
    fill(memory, COUNT)
    memory.catch_up()
    memory.upkeep.create_backup("before.db")
    memory.interchange.export_project("before.jsonl")
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    refusals = [_until_refused(memory, name, act) for name, act in ACTS.items()]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    found = complaints_of(memory) + _again(memory)
    memory.close()
    return refusals, found


def no_pages(memory: Memory) -> tuple[list[Refusal], list[str]]:
    """The same, by telling SQLite that the file may not grow."""
    fill(memory, COUNT)
    memory.upkeep.create_backup("before.db")
    memory.interchange.export_project("before.jsonl")
    with memory.db.read() as connection:
        now = int(connection.pragma("page_count"))
        connection.pragma("max_page_count", now)
    refusals = [
        _until_refused(memory, name, ACTS[name]) for name in ("entity", "entry", "document")
    ]
    with memory.db.read() as connection:
        connection.pragma("max_page_count", 1 << 30)
    return refusals, complaints_of(memory) + _again(memory)


def without_rights(path: Path, mode: int, folder_mode: int) -> list[Refusal]:
    """Return how opening, reading and writing fail under these modes; in a process of its own."""
    _give_up_root()
    path.chmod(mode)
    path.parent.chmod(folder_mode)
    try:
        memory = open_small(path)
    except MemoryCoreError as error:
        return [Refusal("open", error.code, str(error))]
    acts: dict[str, Callable[[Memory, int], object]] = {"read": _read_row, **ACTS}
    refusals = [
        _try_operation(memory, name, acts[name], 0) for name in ("read", "entity", "backup")
    ]
    with suppress(MemoryCoreError):
        memory.close()
    return refusals


def _read_row(memory: Memory, number: int) -> object:
    return memory.search.search_memory("rope")


def _until_refused(
    memory: Memory, name: str, act: Callable[[Memory, int], object], most: int = 200
) -> Refusal:
    """Do it again and again, as the room runs out."""
    refusal = Refusal(name, "", "")
    for number in range(most):
        refusal = _try_operation(memory, name, act, number)
        if refusal.code:
            break
    return refusal


def _try_operation(
    memory: Memory, name: str, act: Callable[[Memory, int], object], number: int
) -> Refusal:
    try:
        act(memory, number)
    except MemoryCoreError as error:
        return Refusal(name, error.code, str(error))
    except Exception as error:  # noqa: BLE001 - what is not ours is what is looked for
        return Refusal(name, type(error).__name__, str(error))
    return Refusal(name, "", "")


def _again(memory: Memory) -> list[str]:
    """Everything works as before once there is room."""
    return [
        f"{name} still fails: {refusal}"
        for name, act in ACTS.items()
        for refusal in (_try_operation(memory, name, act, 1000),)
        if refusal.code
    ]


def _entity(memory: Memory, number: int) -> object:
    text = f"filler {number} " * 200
    return memory.graph.create_entity(f"full {number}", "technology", observations=[text])


def _entry(memory: Memory, number: int) -> object:
    return write_entry(memory, f"filler entry number {number}")


def _document(memory: Memory, number: int) -> object:
    return memory.knowledge.add_document(f"Filler {number}", f"# Filler\n\n{number} words. " * 2000)


def _clear(memory: Memory, number: int) -> object:
    return memory.upkeep.clear_project("other", project_id="other")


def _restore(memory: Memory, number: int) -> object:
    return memory.upkeep.restore_backup("before.db", confirm="before.db")


ACTS: dict[str, Callable[[Memory, int], object]] = {
    "entity": _entity,
    "entry": _entry,
    "document": _document,
    "vectors": lambda memory, number: memory.reindex(),
    "backup": lambda memory, number: memory.upkeep.create_backup(),
    "export": lambda memory, number: memory.interchange.export_project("full.jsonl"),
    "import": lambda memory, number: memory.interchange.import_file("before.jsonl"),
    "repair": lambda memory, number: memory.health.checkup(repair=True),
    "clear": _clear,
    "optimize": lambda memory, number: memory.upkeep.optimize_database(),
    "restore": _restore,
}

_VERSION_3 = 0x20080522
_MAY_PASS_BY_MODES = (1 << 1) | (1 << 2)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def _give_up_root() -> None:
    """Let the modes of files bind this process, as they bind everybody but root (Linux)."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    held = (_Capabilities * 2)()
    header = _Header(_VERSION_3, 0)
    assert libc.capget(ctypes.byref(header), held) == 0
    held[0].effective &= ~_MAY_PASS_BY_MODES
    assert libc.capset(ctypes.byref(header), held) == 0
