"""Run one command line and map failures to exit codes."""

from __future__ import annotations

from collections.abc import Sequence

import typer.main

from ..context import acting_as
from ..errors import MemoryCoreError, StorageError
from .command import app
from .context import CliContext

PROGRAM = "turbovec"
ACTOR = "cli"


def attempt(arguments: Sequence[str], desk: CliContext) -> int:
    """Run a command on an open desk, where the next one may follow; return its exit code."""
    command = typer.main.get_command(app)
    try:
        with acting_as(ACTOR):
            command.main(args=list(arguments), prog_name=PROGRAM, obj=desk)
    except MemoryCoreError as error:
        desk.tell(f"Error {error.code}: {error}")
        return 1
    except OSError as error:
        # A full disk, most often: of what was to be read or written, or of the answer itself.
        desk.tell(f"Error {StorageError.code}: {error}. What was done before it, stays done.")
        return 1
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0
