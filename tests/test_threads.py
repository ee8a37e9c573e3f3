from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from support import PATIENCE, HashingEmbedder

from memory_core import Settings, open_memory
from memory_core.storage.database import Database
from memory_core.threads import ThreadGroup

ROOT = Path(__file__).parents[1]

# Adds a fact whose embedding is under way when the program ends, with or without close().
PROGRAM = """
import atexit, os, sys, threading
sys.path.insert(0, {tests!r})
from support import HashingEmbedder
from memory_core import Settings, open_memory

class Slow(HashingEmbedder):
    going = threading.Event()
    ending = threading.Event()

    def embed(self, texts):
        self.going.set()
        self.ending.wait()
        vectors = super().embed([text for text in texts for _ in range(2_000)])[::2_000]
        os.write(1, b"embedded\\n")
        return vectors

memory = open_memory(Settings(dedup_wait_seconds=0), path={path!r}, embedder=Slow())
atexit.register(Slow.ending.set)
if {warm}:
    memory.warm()
memory.conversation.add_facts(["Alice likes tea"])
Slow.going.wait()
os.write(1, b"added\\n")
"""


class Gated(HashingEmbedder):
    """Waits in the middle of an embedding until the memory begins to close."""

    def __init__(self) -> None:
        super().__init__()
        self.going = threading.Event()
        self.closed = threading.Event()
        self.log = []

    def embed(self, texts):
        self.going.set()
        assert self.closed.wait(PATIENCE)
        vectors = super().embed([text for text in texts for _ in range(500)])[::500]
        self.log.append("embedded")
        return vectors


@pytest.mark.parametrize("warm", [False, True])
def test_closing_waits_for_a_running_embedding(tmp_path, monkeypatch, warm):
    embedder = Gated()
    close = Database.close
    monkeypatch.setattr(Database, "close", lambda db: (embedder.log.append("closed"), close(db)))
    before = set(threading.enumerate())
    memory = open_memory(
        Settings(dedup_wait_seconds=0), path=tmp_path / "memory.db", embedder=embedder
    )
    embedder.closed = memory.closed
    if warm:
        memory.warm()
    memory.conversation.add_facts(["Alice likes tea"])
    assert embedder.going.wait(PATIENCE)

    memory.close()

    assert "closed" == embedder.log[-1]
    assert "embedded" in embedder.log
    assert set() == set(threading.enumerate()) - before


@pytest.mark.process
@pytest.mark.parametrize("warm", [False, True])
def test_exit_without_close_joins_the_threads(tmp_path, warm):
    program = PROGRAM.format(tests=str(ROOT / "tests"), path=str(tmp_path / "memory.db"), warm=warm)

    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE
    )

    assert (0, "") == (ended.returncode, ended.stderr)
    assert ["added", "embedded"] == list(dict.fromkeys(ended.stdout.split()))


def test_a_group_of_threads_starts_none_after_it_was_stopped():
    group = ThreadGroup()
    ran = []
    first = group.start(lambda: ran.append(1), name="first")
    ended = group.stop(PATIENCE)

    assert ended and not first.is_alive()
    assert group.start(lambda: ran.append(2), name="second") is None
    assert [1] == ran


def test_a_group_reports_a_thread_that_does_not_end_in_time():
    group = ThreadGroup()
    gate = threading.Event()
    group.start(gate.wait, name="gated")
    in_time = group.stop(0)
    gate.set()

    assert not in_time
    assert group.stop(PATIENCE)


@pytest.mark.process
def test_adding_facts_with_the_real_model_never_aborts(tmp_path):
    """The native code of the model is interrupted at another place in each run."""
    settings = {"SQLITE_DB_FILE": str(tmp_path / "memory.db"), "DEDUP_WAIT_SECONDS": "0.01"}
    codes = Counter()
    for number in range(4):
        ended = subprocess.run(
            [sys.executable, "main.py", "cli", "add", "--fact", f"Alice likes tea number {number}"],
            cwd=ROOT,
            env={**os.environ, **settings},
            capture_output=True,
            timeout=PATIENCE,
        )
        codes[ended.returncode] += 1

    assert {0: 4} == codes
