"""Keeping a mirror level in the background, by one process at a time."""

from __future__ import annotations

import logging
import os
import secrets
import threading

from ...errors import MemoryCoreError
from ...storage import leases
from ...storage.database import Database
from .mirror import VectorMirror

logger = logging.getLogger(__name__)

LEASE = "mirror"

# Longer than a batch may take with all its attempts.
_LEASE_SECONDS = 180.0

# How often to look for what other processes embedded; after failures ever less often.
_LOOK_SECONDS = 60.0
_LONGEST_WAIT = 900.0


class MirrorFollower:
    """Brings a mirror level after vectors were made, in a thread of its own."""

    def __init__(self, db: Database, mirror: VectorMirror) -> None:
        self._db = db
        self._mirror = mirror
        self._holder = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._nudged = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Follow in a thread until stop(); a second start changes nothing."""
        if self._thread is None or not self._thread.is_alive():
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="mirror", daemon=True)
            self._thread.start()

    def nudge(self) -> None:
        """Say that vectors were made or removed; return at once."""
        self._nudged.set()

    def stop(self, timeout: float = 10.0) -> bool:
        """End the thread after its batch; return whether it ended in time."""
        self._stopping.set()
        self._nudged.set()
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def _run(self) -> None:
        wait = _LOOK_SECONDS
        while not self._stopping.is_set():
            self._nudged.clear()
            try:
                self._follow()
                wait = _LOOK_SECONDS
            except MemoryCoreError as error:
                logger.warning("The mirror %s is behind: %s", self._mirror.name, error)
                # Writes go on meanwhile, and their nudges are no reason to ask sooner.
                self._stopping.wait(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
                continue
            self._nudged.wait(wait)

    def _follow(self) -> None:
        if not self._going():
            return
        try:
            self._mirror.catch_up(self._going)
        finally:
            with self._db.note() as connection:
                leases.release(connection, LEASE, holder=self._holder)

    def _going(self) -> bool:
        """Return whether to go on: not asked to stop, and no other process is at it."""
        if self._stopping.is_set():
            return False
        with self._db.note() as connection:
            return leases.take(
                connection,
                LEASE,
                holder=self._holder,
                now=self._db.clock(),
                seconds=_LEASE_SECONDS,
            )
