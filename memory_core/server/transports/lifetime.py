"""Stop the server when its client is gone or on a signal."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0


def end_with_parent(close: Callable[[], None], parent: int = 0) -> None:
    """
    Close and exit when the process that started this one is gone, however it ended.

    *parent* is its number, if it gave that: it may be gone before this process can ask.
    """
    parent = parent or os.getppid()

    def watch() -> None:
        _wait_for_end_of(parent)
        logger.info("the parent process is gone")
        _end(close)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def end_on_signals(close: Callable[[], None]) -> None:
    """Close and exit on SIGTERM and SIGINT, even while a thread waits for a line of stdin."""

    def stop(number: int, frame: Any) -> None:
        logger.info("ended by signal %d", number)
        # Not in the handler itself: it may have interrupted the holder of the lock it needs.
        threading.Thread(target=_end, args=(close,), name="end").start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _end(close: Callable[[], None]) -> None:
    try:
        close()
        logging.shutdown()
    finally:
        os._exit(0)


def _wait_for_end_of(parent: int) -> None:
    if sys.platform == "win32":
        _wait_on_windows(parent)
    else:
        # An orphan is given to another parent, so the number changes.
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)


def _wait_on_windows(parent: int) -> None:
    """Wait for the process itself: Windows never gives an orphan to another parent."""
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    synchronize, for_ever = 0x00100000, 0xFFFFFFFF
    process = kernel.OpenProcess(synchronize, False, parent)
    if not process:
        # Not ours to watch: the end of stdin still ends the server.
        threading.Event().wait()
    kernel.WaitForSingleObject(process, for_ever)
