"""Run one command and map failures to exit codes."""

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
    """
    Run a command on an open context, which stays open for further commands; return its exit code.
    """
    command = typer.main.get_command(app)
    try:
        with acting_as(ACTOR):
            command.main(args=list(arguments), prog_name=PROGRAM, obj=desk)
    except MemoryCoreError as error:
        desk.tell(f"Error {error.code}: {error}")
        return 1
    except OSError as error:
        # Usually a full disk, while reading or writing a file or the output itself.
        desk.tell(f"Error {StorageError.code}: {error}. Changes made before the error were kept.")
        return 1
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0
