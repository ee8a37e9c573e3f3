"""Entry point of the command line: register commands, set UTF-8 streams, close the memory."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from typing import TextIO

from . import dashboard as dashboard
from . import facts as facts
from . import import_export as import_export
from . import maintenance as maintenance
from . import mcpb as mcpb
from . import shell as shell
from .attempt import attempt
from .context import CliContext


def run(arguments: Sequence[str]) -> int:
    """Run a command; return 0 when it is done, 1 for an error, 2 for wrong usage."""
    gc.freeze()
    gc.enable()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        _speak_utf8(stream)
    desk = CliContext()
    try:
        return attempt(arguments, desk)
    finally:
        desk.close()


def _speak_utf8(stream: TextIO | None) -> None:
    # A Windows console may support few characters; stored text may contain any.
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")
