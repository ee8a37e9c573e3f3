"""Report progress of a long operation, and cancel it when its caller is gone."""

from __future__ import annotations

import time

from ..context import is_cancelled, report_progress
from ..errors import CancelledError

# Seconds to sleep per tick, so that other threads of this process can run.
_BREATH = 0.001


class Progress:
    """Progress of a long operation in several steps, which count as equally long."""

    def __init__(self) -> None:
        self._step, self._steps, self._message = 0, 1, ""

    def begin_step(self, step: int, steps: int, message: str) -> None:
        self._step, self._steps, self._message = step, steps, message
        self.tick(0, 1)

    def tick(self, done: int, total: int) -> None:
        """
        Report the progress of the step; call it between transactions, never inside one.

        Raise CancelledError if the caller is gone.
        """
        if is_cancelled():
            raise CancelledError(
                "The call was cancelled. Committed changes are complete and were kept; the batch "
                "can be undone."
            )
        # At most 99: begin_step of the next step reports this one as complete.
        share = 100 * self._step + min(99, 100 * done // max(total, 1))
        report_progress(share, 100 * self._steps, self._message)
        time.sleep(_BREATH)
