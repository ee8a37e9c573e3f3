"""Processes of our own, begun quickly: from one that has loaded everything, where there is one."""

from __future__ import annotations

import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

# Longer than anything here takes on a busy machine.
PATIENCE = 300.0

# The libraries are what the librarian would import in each. turbovec is none of them: it begins
# threads when it is loaded, and a child that is forked from one of those hangs.
_LOADED = ["benchmarks.faults.acts", "scipy.sparse", "sklearn.cluster"]

Answer = TypeVar("Answer")


class Failed(Exception):
    """What a child raised, as the text of its traceback."""


def start_process(target: Callable[..., object], *args: object) -> BaseProcess:
    """Run *target* in a process of its own, which shares nothing with this one."""
    context: Any
    if sys.platform == "win32":
        context = multiprocessing.get_context("spawn")
    else:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_LOADED)
    process: BaseProcess = context.Process(target=target, args=args, daemon=True)
    process.start()
    return process


class Question:
    """A call under way in a process of its own."""

    def __init__(self, target: Callable[..., Answer], *args: object) -> None:
        self._hears, speaks = multiprocessing.Pipe(duplex=False)
        self.process = start_process(_answer, speaks, target, *args)
        speaks.close()

    def answer(self, patience: float = PATIENCE) -> Any:
        """Wait for the outcome and return it; raise Failed if there is none, or the call raised."""
        with self._hears:
            if not self._hears.poll(patience):
                self.process.kill()
                raise Failed(f"no answer came in {patience:.0f} seconds")
            try:
                outcome, value = self._hears.recv()
            except EOFError as error:
                raise Failed("the process ended without an answer") from error
        self.process.join(PATIENCE)
        if outcome != "returned":
            raise Failed(value)
        return value


def answer_of(target: Callable[..., Answer], *args: object, patience: float = PATIENCE) -> Any:
    """Return what *target* returns in a process of its own."""
    return Question(target, *args).answer(patience)


def _answer(speaks: Connection, target: Callable[..., object], *args: object) -> None:
    try:
        outcome: tuple[str, object] = ("returned", target(*args))
    except BaseException:  # noqa: BLE001 - it is reported to the parent
        outcome = ("raised", traceback.format_exc())
    speaks.send(outcome)
    speaks.close()
    # Not the interpreter's own end, which waits for threads that a fault may have left.
    os._exit(0)
