"""Temporary copies of a killed process are deleted, and erased data is not left in them."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from support import PATIENCE, HashingEmbedder

from memory_core import ALL_USERS, open_memory

CANARY = "canary-91c-of-an-erased-record"
PROGRAM = """
import sys, time
from pathlib import Path
from memory_core import open_memory

memory = open_memory(path=Path(sys.argv[1]))
with memory.interchange.temporary_folder() as folder:
    (folder / "copy.db").write_bytes(memory.db.path.read_bytes())
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.mark.process
def test_erasing_deletes_the_copies_of_a_killed_process(tmp_path):
    path = tmp_path / "memory.db"
    memory = open_memory(path=path, embedder=HashingEmbedder())
    memory.graph.create_entity(CANARY, "project")
    memory.upkeep.optimize_database()
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, path], stdout=subprocess.PIPE)
    child.stdout.readline()
    copies = list((tmp_path / "exports").iterdir())
    memory.upkeep.delete_left_over()
    assert copies == list((tmp_path / "exports").iterdir())
    child.send_signal(signal.SIGKILL)
    child.wait(PATIENCE)
    child.stdout.close()

    memory.upkeep.clear_project("default", user_id=ALL_USERS, backup=False)
    memory.close()

    assert 1 == len(copies)
    assert [] == list((tmp_path / "exports").iterdir())
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        assert CANARY.encode() not in file.read_bytes(), file
