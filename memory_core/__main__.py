"""Entry point of the command line: ``turbovec`` and ``python -m memory_core``."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command that the process was started with; return its exit code."""
    # Modules stay loaded, and searching them for garbage takes a tenth of the start.
    gc.disable()
    try:
        from .cli import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        # The exit code that shells use for an interrupted program.
        return 130


if __name__ == "__main__":
    sys.exit(main())
