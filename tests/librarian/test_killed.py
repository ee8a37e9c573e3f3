from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from librarian.towns import BAKING, SAILING, concepts, group, members
from support import HashingEmbedder

from memory_core import ConflictError, open_memory
from memory_core.clock import utc_now

ROOT = Path(__file__).parents[2]

# Says when the first concept is written, and then stands still until it is killed.
PROGRAM = """
import sys, threading
from pathlib import Path
from support import HashingEmbedder
from memory_core import open_memory
from memory_core.librarian import concepts

# One concept is one transaction.
concepts.CHUNK = 1

def listen(done, total, message):
    if message == "writing concepts" and done > 300:
        print("half way", flush=True)
        threading.Event().wait(300)

memory = open_memory(path=Path(sys.argv[1]), embedder=HashingEmbedder())
memory.librarian.run_cycle(progress=listen)
"""


def killed_half_way(path):
    """Start a cycle in another process, and kill that between two transactions."""
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))},
        text=True,
    )
    with child:
        try:
            return child.stdout.readline().strip()
        finally:
            child.kill()


@pytest.mark.process
def test_the_next_cycle_completes_a_killed_one(tmp_path):
    path = tmp_path / "memory.db"
    memory = open_memory(path=path, embedder=HashingEmbedder())
    group(memory, SAILING)
    group(memory, BAKING)
    memory.close()

    assert "half way" == killed_half_way(path)
    killed_at = utc_now()

    memory = open_memory(path=path, embedder=HashingEmbedder(), clock=lambda: killed_at)
    with pytest.raises(ConflictError, match="already running"):
        memory.librarian.run_cycle()
    (made,) = concepts(memory).values()
    assert 4 == len(members(memory, made.id))
    memory.close()

    later = killed_at + timedelta(seconds=121)
    memory = open_memory(path=path, embedder=HashingEmbedder(), clock=lambda: later)
    memory.librarian.run_cycle()
    now, before = memory.librarian.list_cycles().cycles
    assert ("done", "interrupted") == (now.status, before.status)
    assert 2 == len(concepts(memory))
    assert made.id in {each.id for each in concepts(memory).values()}
    memory.close()
