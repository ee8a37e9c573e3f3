"""Whole-file work while another process writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE

from memory_core import open_memory

ROOT = Path(__file__).parents[2]

# Writes until its input ends, and one thing more.
WRITER = """
import itertools, sys, threading
from pathlib import Path
from memory_core import open_memory

memory = open_memory(path=Path(sys.argv[1]))
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
for number in itertools.count():
    memory.graph.create_entity(f"writer {number}", "person", observations=[f"fact {number}"])
    if number == 3:
        print("under way", flush=True)
    if ended.is_set():
        break
memory.graph.create_entity("last", "person", observations=["written at the end"])
memory.close()
"""


@pytest.mark.process
def test_clearing_restoring_and_backing_up_while_another_process_writes(tmp_path):
    memory = open_memory(path=tmp_path / "memory.db")
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.upkeep.create_backup("base.db")
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(memory.db.path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert "under way\n" == writer.stdout.readline()
    for _ in range(3):
        memory.upkeep.restore_backup("base.db", confirm="base.db")
        memory.upkeep.clear_project("*", project_id="*", backup=False)
        memory.upkeep.create_backup()
    out, complaints = writer.communicate(timeout=PATIENCE)

    assert ("", "", 0) == (out, complaints, writer.returncode)
    assert "last" == memory.graph.get_entity("last").entity.name
    assert [] == memory.health.health_report().problems
    memory.close()
