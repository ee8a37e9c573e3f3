"""
Background threads that end before the interpreter does.

1. A thread that returns from native code, such as a model's, while the interpreter is finalized
   aborts the process (exit code 134). So every thread is joined at exit.
2. The threads are daemons all the same: else the interpreter would wait for a loop before the
   functions that are registered with atexit can stop it.
3. atexit runs what was registered last first. A module that imports this one and registers a
   function that stops its threads has it called before they are joined.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

# Longer than one step of any thread on a busy machine: a batch of texts, a model's load.
EXIT_SECONDS = 120.0

_lock = threading.Lock()
_started: list[threading.Thread] = []


def start_thread(target: Callable[[], object], *, name: str) -> threading.Thread:
    """Start a thread that is joined before the interpreter shuts down; its owner stops it."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    with _lock:
        _started[:] = [one for one in _started if one.is_alive()] + [thread]
    return thread


class ThreadGroup:
    """Threads of one owner that are stopped together; each looks at ``stopping`` between steps."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def start(self, target: Callable[[], object], *, name: str) -> threading.Thread | None:
        """Start a thread; return None after stop()."""
        with self._lock:
            if self.stopping.is_set():
                return None
            thread = start_thread(target, name=name)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
            return thread

    def stop(self, timeout: float) -> bool:
        """Start no more threads and wait for these; return whether all of them ended in time."""
        with self._lock:
            self.stopping.set()
        return not _join(self._threads, timeout)


def _join(threads: list[threading.Thread], timeout: float) -> list[threading.Thread]:
    """Wait until the threads have ended; return those that have not."""
    until = time.monotonic() + timeout
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    return [thread for thread in threads if thread.is_alive()]


def _join_all() -> None:
    with _lock:
        threads = list(_started)
    for thread in _join(threads, EXIT_SECONDS):
        logger.warning("The thread %r has not ended; exiting anyway.", thread.name)


atexit.register(_join_all)
