"""Access control: the password, or loopback only without one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

LOOPBACK = ("127.0.0.1", "localhost", "::1")
# More than a person mistypes in a row, far less than finds a password by trying.
AT_ONCE = 10
EACH_SECONDS = 6.0

# The sessions in which the password was given: one short name for each time that it was.
ADMITTED: set[str] = set()


class Guesses:
    """How many passwords may be tried, by all browsers together: a few, then one at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left = float(AT_ONCE)
        self._at = clock()
        self._lock = threading.Lock()

    def may_try(self) -> bool:
        """Take one; False while there is none. The time that passes brings them back."""
        with self._lock:
            now = self._clock()
            self._left = min(AT_ONCE, self._left + (now - self._at) / EACH_SECONDS)
            self._at = now
            if self._left < 1:
                return False
            self._left -= 1
            return True


def refuse_open_bind(address: str | None, *, has_password: bool) -> None:
    """Exit if others could reach the dashboard and no password keeps them out."""
    # Streamlit looks for its configuration in the working directory; started elsewhere it
    # would listen on every address there is.
    if address not in LOOPBACK and not has_password:
        sys.exit(
            f"The dashboard would listen on {address or 'every address of this machine'}, without "
            "a password. Start it in the folder that holds .streamlit, or add --server.address "
            "127.0.0.1, or set DASHBOARD_PASSWORD."
        )
