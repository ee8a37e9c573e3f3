"""kill -9 at random points, and what is left afterwards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory

from memory_core.memory import Memory

from .acts import ACTS, Act, again, do
from .checking import Acknowledged, complaints_of
from .children import PATIENCE, start_process
from .worlds import open_small

# Endless operations are killed after at most so many promises, which are a few of every kind,
# and at most so long after the last of them, which is as long as some acts take.
PROMISES = 20
MOMENT = 0.05
BEGUN = "begun"


@dataclass
class Kills:
    """How often an act was killed, how often before its end, and what was found."""

    act: str
    killed: int = 0
    before_the_end: int = 0
    acknowledged: int = 0
    complaints: list[str] = field(default_factory=list)


def kill_often(name: str, times: int, *, seed: int = 0) -> Kills:
    """Kill the act *name* at *times* random points; return the counts and every complaint."""
    act = next(act for act in ACTS if act.name == name)
    chance = random.Random(f"{name} {seed}")
    kills = Kills(name)
    with TemporaryDirectory(prefix="faults-") as folder:
        base = Path(folder) / "base" / "memory.db"
        base.parent.mkdir()
        act.prepare(base)
        longest = MOMENT if act.endless else _duration(act, base)
        for number in range(times):
            promises = chance.randint(0, PROMISES) if act.endless else 0
            with _copy_of(base, f"{number}") as path:
                _kill_once(act, path, promises, chance.uniform(0, longest), kills)
    return kills


def _kill_once(act: Act, path: Path, promises: int, delay: float, kills: Kills) -> None:
    """Kill it so many seconds after so many promises: a slow machine is killed as far along."""
    process, hears = _begin(act, path)
    with hears:
        promised = list(islice(_acknowledgements(hears, PATIENCE), promises))
        if len(promised) < promises:
            kills.complaints.append(f"{act.name} stopped after {len(promised)} promises")
        # Not a wait for something to happen: this is the random point itself.
        process.join(delay)
        alive = process.is_alive()
        process.kill()
        process.join(PATIENCE)
        promised += _acknowledgements(hears)
    kills.killed += 1
    kills.before_the_end += alive
    kills.acknowledged += len(promised)
    # A process that failed by itself is as bad as one that left something broken.
    if process.exitcode not in (0, -signal.SIGKILL):
        kills.complaints.append(f"{act.name} ended with {process.exitcode}")
    kills.complaints += _looked_at(act, path, promised)


def _looked_at(act: Act, path: Path, promised: list[Acknowledged]) -> list[str]:
    memory = open_small(path)
    try:
        found = complaints_of(memory, promised) + _whole_but_for_restoring(act, memory)
    finally:
        memory.close()
    found += again(act, path)
    memory = open_small(path)
    try:
        return [f"{act.name}: {each}" for each in found + complaints_of(memory)]
    finally:
        memory.close()


def _whole_but_for_restoring(act: Act, memory: Memory) -> list[str]:
    return [] if act.name == "backup" else act.whole(memory)


def _begin(act: Act, path: Path) -> tuple[BaseProcess, Connection]:
    hears, speaks = Pipe(duplex=False)
    process = start_process(_act, act.name, path, speaks)
    speaks.close()
    assert hears.poll(PATIENCE)
    assert hears.recv() == BEGUN
    return process, hears


def _act(name: str, path: Path, speaks: Connection) -> None:
    """The whole life of the process that is killed."""
    do(name, path, lambda: speaks.send(BEGUN), speaks.send)
    speaks.close()
    # Not the interpreter's own end: what counts is over.
    os._exit(0)


def _acknowledgements(hears: Connection, patience: float = 0) -> Iterator[Acknowledged]:
    """Yield what is acknowledged until that takes too long; the last word may be cut off."""
    try:
        while hears.poll(patience):
            yield hears.recv()
    except (EOFError, OSError):
        return


def _duration(act: Act, base: Path) -> float:
    """Return the duration of the operation without a kill."""
    with _copy_of(base, "timed") as path:
        process, hears = _begin(act, path)
        started = time.monotonic()
        process.join(PATIENCE)
        took = time.monotonic() - started
        hears.close()
    assert process.exitcode == 0, f"{act.name} ends with {process.exitcode}"
    return took


@contextmanager
def _copy_of(base: Path, name: str) -> Iterator[Path]:
    """Yield a copy of the folder of *base*, and drop it afterwards."""
    folder = base.parent.with_name(name)
    shutil.copytree(base.parent, folder)
    try:
        yield folder / base.name
    finally:
        shutil.rmtree(folder)
