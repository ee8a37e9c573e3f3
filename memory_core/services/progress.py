"""Report progress of a long operation, and cancel it when its caller is gone."""

from __future__ import annotations

import time

from ..context import is_cancelled, report_progress
from ..errors import CancelledError

# Other threads of this process get the processor now and then.
_BREATH = 0.001


class Progress:
    """A long act in several steps, each as long as the others as far as telling goes."""

    def __init__(self) -> None:
        self._step, self._steps, self._message = 0, 1, ""

    def begin_step(self, step: int, steps: int, message: str) -> None:
        """Say which part of the work begins."""
        self._step, self._steps, self._message = step, steps, message
        self.tick(0, 1)

    def tick(self, done: int, total: int) -> None:
        """
        Say how far the step is; call it between transactions, never inside one.

        Raise CancelledError if the caller is gone.
        """
        if is_cancelled():
            raise CancelledError(
                "The call was cancelled. What it had written by then is whole and stays; its batch "
                "can be undone."
            )
        # A step's end is the beginning of the next one, which has something to say.
        share = 100 * self._step + min(99, 100 * done // max(total, 1))
        report_progress(share, 100 * self._steps, self._message)
        time.sleep(_BREATH)
