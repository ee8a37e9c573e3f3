"""Processes of our own, begun quickly: from one that has loaded everything, where there is one."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any

# Longer than anything here takes on a busy machine.
PATIENCE = 120.0

_LOADED = ["benchmarks.faults.acts"]


def begun(target: Callable[..., object], *args: object) -> BaseProcess:
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
