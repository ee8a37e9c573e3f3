"""A stdio server with stand-in tools for rare behaviour."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]
    from server.standins import stand_in_server

    from memory_core import Settings, open_memory
    from memory_core.server.logs import log_for
    from memory_core.server.transports.run import run

    settings = Settings.load()
    log_for(settings)
    memory = open_memory(settings)
    run(stand_in_server(memory), memory, settings)


if __name__ == "__main__":
    main()
