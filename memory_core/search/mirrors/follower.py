"""Keep a mirror in sync in the background, in one process at a time."""

from __future__ import annotations

import logging

from ...errors import MemoryCoreError
from ...storage.database import Database
from ..leased_thread import LeasedThread
from .mirror import VectorMirror

logger = logging.getLogger(__name__)

LEASE = "mirror"

# Longer than a batch may take with all its attempts.
_LEASE_SECONDS = 180.0

# How often to look for what other processes embedded; after failures ever less often.
_LOOK_SECONDS = 60.0
_LONGEST_WAIT = 900.0


class MirrorFollower(LeasedThread):
    """Brings a mirror level after vectors were made, in a thread of its own."""

    def __init__(self, db: Database, mirror: VectorMirror) -> None:
        super().__init__(db, lease=LEASE, lease_seconds=_LEASE_SECONDS)
        self._mirror = mirror

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
            self.release()

    def _going(self) -> bool:
        """Return whether to go on: not asked to stop, and no other process is at it."""
        return not self._stopping.is_set() and self._take_lease()
