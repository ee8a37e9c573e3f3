from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import PATIENCE, HashingEmbedder

from memory_core import Memory, NotInitialisedError, open_memory
from memory_core.lazy_attribute import LazyAttribute
from memory_core.librarian.librarian import Librarian
from memory_core.search.embedding_worker import EmbeddingWorker
from memory_core.storage.database import Database
from memory_core.telemetry import Telemetry

SERVICES = sorted(name for name, value in vars(Memory).items() if isinstance(value, LazyAttribute))


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_created_on_first_access_and_kept(memory, name):
    before = name in vars(memory)
    created = getattr(memory, name)

    assert not before
    assert getattr(memory, name) is created


@pytest.mark.process
def test_opening_a_memory_imports_no_service(tmp_path):
    code = (
        "import sys; from memory_core import Settings, open_memory\n"
        f"memory = open_memory(Settings(), path={str(tmp_path / 'm')!r})\n"
        "print(sorted(n for n in sys.modules if n.startswith('memory_core.services.')))\n"
        "print(sorted({'numpy', 'torch', 'sklearn', 'networkx', 'pandas'} & set(sys.modules)))\n"
        "memory.close()"
    )

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ["[]", "[]"] == ended.stdout.splitlines()


def test_concurrent_first_access_returns_one_service(memory):
    together = threading.Barrier(8)

    def ask():
        together.wait(PATIENCE)
        return memory.conversation, memory.follower

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask) for _ in range(8)]

    assert 1 == len({tuple(map(id, one.result())) for one in asked})


def test_close_is_idempotent_and_thread_safe(memory):
    memory.warm()
    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(memory.close) for _ in range(4)]:
            one.result()
    memory.close()

    with pytest.raises(NotInitialisedError), memory.db.read():
        pass


def test_a_closed_memory_starts_no_background_thread(memory):
    memory.close()
    memory.warm()
    memory.follower.start()
    memory.librarian.start_worker()

    assert not memory.follower.running
    assert not memory.librarian.worker.running


def test_closing_stops_users_before_their_dependencies(tmp_path, monkeypatch):
    stopped = []

    def noting(owner, method, name):
        end = getattr(owner, method)
        monkeypatch.setattr(
            owner, method, lambda self, *given: (stopped.append(name), end(self, *given))[1]
        )

    noting(Librarian, "stop_worker", "librarian")
    noting(EmbeddingWorker, "stop", "follower")
    noting(Telemetry, "close", "telemetry")
    noting(Database, "close", "database")
    memory = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder())
    memory.warm()
    memory.close()

    assert ["librarian", "follower", "telemetry", "database"] == stopped
