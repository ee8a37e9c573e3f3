"""Keep a mirror in sync in the background, in one process at a time."""

from __future__ import annotations

import logging

from ...errors import MemoryCoreError
from ...storage.database import Database
from ..leased_thread import LeasedThread
from .mirror import VectorMirror

logger = logging.getLogger(__name__)

LEASE = "mirror"

# Longer than a batch can take with all its retries.
_LEASE_SECONDS = 180.0

# How often to check for vectors of other processes; the wait doubles after each failure.
_LOOK_SECONDS = 60.0
_LONGEST_WAIT = 900.0


class MirrorFollower(LeasedThread):
    """Updates a mirror after vectors were written."""

    def __init__(self, db: Database, mirror: VectorMirror) -> None:
        super().__init__(
            db,
            name=LEASE,
            lease=LEASE,
            lease_seconds=_LEASE_SECONDS,
            look_seconds=_LOOK_SECONDS,
        )
        self._mirror = mirror
        self._failure_wait = _LOOK_SECONDS

    def step(self) -> float:
        try:
            self._follow()
        except MemoryCoreError as error:
            logger.warning("Mirror %s is behind: %s", self._mirror.name, error)
            # Writes continue meanwhile, and their nudges must not cause an earlier retry.
            self._stopping.wait(self._failure_wait)
            self._failure_wait = min(2 * self._failure_wait, _LONGEST_WAIT)
            return 0
        self._failure_wait = _LOOK_SECONDS
        return _LOOK_SECONDS

    def _follow(self) -> None:
        if self._stopping.is_set() or not self.lease.take():
            return
        try:
            self._mirror.catch_up(self._continues)
        finally:
            self.lease.release()

    def _continues(self) -> bool:
        return not self._stopping.is_set() and self.lease.renew_if_due()
