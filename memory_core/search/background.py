"""A thread that brings something derived level, in one of all processes at a time."""

from __future__ import annotations

import os
import secrets
import threading
from abc import ABC, abstractmethod

from ..storage import leases
from ..storage.database import Database


class BackgroundFollower(ABC):
    """What followers in a thread share: starting, waking, ending, and the lease."""

    def __init__(self, db: Database, *, lease: str, lease_seconds: float) -> None:
        """*lease* is also the thread's name; *lease_seconds* outlast the slowest step."""
        self._db = db
        self._lease = lease
        self._lease_seconds = lease_seconds
        self._holder = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._nudged = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Follow in a thread until stop(); a second start changes nothing."""
        if self._thread is None or not self._thread.is_alive():
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name=self._lease, daemon=True)
            self._thread.start()

    def nudge(self) -> None:
        """Say that there is something to follow; return at once."""
        self._nudged.set()

    def stop(self, timeout: float = 10.0) -> bool:
        """End the thread after its batch; return whether it ended in time."""
        self._stopping.set()
        self._nudged.set()
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    @abstractmethod
    def _run(self) -> None:
        """Follow until _stopping is set; between two looks wait on _nudged."""

    def _leased(self) -> bool:
        """Take or renew the lease; return False if another process is at it."""
        with self._db.note() as connection:
            return leases.take(
                connection,
                self._lease,
                holder=self._holder,
                now=self._db.clock(),
                seconds=self._lease_seconds,
            )

    def _release(self) -> None:
        with self._db.note() as connection:
            leases.release(connection, self._lease, holder=self._holder)
