"""A background thread that runs in one process at a time."""

from __future__ import annotations

import os
import secrets
import threading
from abc import ABC, abstractmethod

from ..storage import leases
from ..storage.database import Database
from ..threads import start_thread


class LeasedThread(ABC):
    """What such threads share: starting, waking, ending, and the lease."""

    def __init__(
        self, db: Database, *, lease: str, lease_seconds: float, thread_name: str = ""
    ) -> None:
        """*lease_seconds* outlast the slowest step; without a name, the thread has the lease's."""
        self.holder = f"process {os.getpid()} ({secrets.token_hex(3)})"
        self._db = db
        self._lease = lease
        self._lease_seconds = lease_seconds
        self._thread_name = thread_name or lease
        self._nudged = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        # A thread that is made but not started can be neither joined nor seen.
        self._changing = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether the thread lives; the lease says whether it is the one that works."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Work in a thread until stop(); a second start, or one after stop(), does nothing."""
        with self._changing:
            if not self.running and not self._stopping.is_set():
                self._thread = start_thread(self._run, name=self._thread_name)

    def nudge(self) -> None:
        """Say that there may be something to do; return at once."""
        self._nudged.set()

    def stop(self, timeout: float = 10.0) -> bool:
        """End the thread after the step in hand; return whether it ended in time."""
        with self._changing:
            self._stopping.set()
            self._nudged.set()
            if self._thread is not None:
                self._thread.join(timeout)
            return not self.running

    def release(self) -> None:
        """Give the lease back, so that another process can take it at once."""
        with self._db.note() as connection:
            leases.release(connection, self._lease, holder=self.holder)

    @abstractmethod
    def _run(self) -> None:
        """Work until _stopping is set; between two looks wait on _nudged."""

    def _take_lease(self) -> bool:
        """Take or renew the lease; return False if another process is at it."""
        with self._db.note() as connection:
            return leases.take(
                connection,
                self._lease,
                holder=self.holder,
                now=self._db.clock(),
                seconds=self._lease_seconds,
            )
