"""A background thread that works in one process at a time, by a lease."""

from __future__ import annotations

import logging
import os
import secrets
import threading
from abc import ABC, abstractmethod

from ..errors import CancelledError, MemoryCoreError, NotInitialisedError
from ..storage.database import Database
from ..storage.leases import Lease
from ..threads import start_thread

logger = logging.getLogger(__name__)


class LeasedThread(ABC):
    """Repeats step() until stopped. A failed step is logged, and never ends the thread."""

    def __init__(
        self, db: Database, *, name: str, lease: str, lease_seconds: float, look_seconds: float
    ) -> None:
        """*lease_seconds* must outlast the slowest part of a step."""
        holder = f"process {os.getpid()} ({secrets.token_hex(3)})"
        self.lease = Lease(db, lease, holder=holder, seconds=lease_seconds)
        self._db = db
        self._name = name
        self._look_seconds = look_seconds
        self._nudged = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        # A thread that is made but not started can be neither joined nor seen.
        self._changing = threading.Lock()

    @property
    def running(self) -> bool:
        """Whether the thread is alive; only the holder of the lease works."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start the thread; a second start, or one after stop(), does nothing."""
        with self._changing:
            if not self.running and not self._stopping.is_set():
                self._thread = start_thread(self._run, name=self._name)

    def nudge(self) -> None:
        """Wake the thread, because there may be work; return at once."""
        self._nudged.set()

    def stop(self, timeout: float = 10.0) -> bool:
        """End the thread after the current step; return whether it ended in time."""
        with self._changing:
            self._stopping.set()
            self._nudged.set()
            if self._thread is not None:
                self._thread.join(timeout)
            return not self.running

    @abstractmethod
    def step(self) -> float:
        """Do what is due if the lease is free; return the seconds until the next step."""

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._nudged.clear()
                self._nudged.wait(self._try_step())
        finally:
            self._release()

    def _try_step(self) -> float:
        try:
            return self.step()
        except (CancelledError, NotInitialisedError):
            # Stopped, or started while the memory was being closed.
            self.nudge()
            self._stopping.set()
        except MemoryCoreError as error:
            logger.warning("%s step failed: %s", self._name.capitalize(), error)
        except Exception:
            logger.exception("%s step failed; continuing", self._name.capitalize())
        return self._look_seconds

    def _release(self) -> None:
        try:
            self.lease.release()
        except MemoryCoreError as error:
            logger.info("The lease of %s expires on its own: %s", self._name, error.code)
