"""Fail a test that starts a program without the marker that keeps it out of the fast suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

MARKERS = ("process", "browser")

_EVENTS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.system")
# Benchmarks record the revision. It is a short command that waits for nothing.
_HARMLESS = ("git",)
_unmarked: str | None = None
_installed = False


class UnmarkedProcess(AssertionError):
    """A test without one of MARKERS started a program."""


def install() -> None:
    """Watch every start of a program in this process. An audit hook cannot be removed."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_audit)
        _watch_multiprocessing()


@contextmanager
def watched(test: str, *, is_marked: bool) -> Iterator[None]:
    """Refuse programs while *test* runs with its fixtures, unless it is marked."""
    global _unmarked
    before, _unmarked = _unmarked, None if is_marked else test
    try:
        yield
    finally:
        _unmarked = before


def _audit(event: str, details: tuple[Any, ...]) -> None:
    if event in _EVENTS and not (details and details[0] in _HARMLESS):
        _refuse(f"{event} {details[:2]}")


def _watch_multiprocessing() -> None:
    # It starts processes through a private function that raises no audit event.
    start = BaseProcess.start

    def watched_start(process: BaseProcess) -> None:
        _refuse(f"multiprocessing {process.name}")
        start(process)

    BaseProcess.start = watched_start  # type: ignore[method-assign]


def _refuse(program: str) -> None:
    if _unmarked is not None:
        raise UnmarkedProcess(
            f"{_unmarked} starts a program ({program}). "
            f"Mark the test with one of: {', '.join(MARKERS)}."
        )
