"""The MCP server: stdio or HTTP on this machine. With ``cli`` first: the command line."""

from __future__ import annotations

import gc
import sys

# What is loaded stays: looking for garbage among it costs a tenth of the start.
gc.disable()

if __name__ == "__main__" and sys.argv[1:2] == ["cli"]:
    try:
        # Before the server is loaded, which is slow and which no command needs.
        from memory_core.cli import run as run_command

        sys.exit(run_command(sys.argv[2:]))
    except KeyboardInterrupt:
        # Whoever stops a command knows that it was stopped; a shell is told by this code.
        sys.exit(130)

from memory_core import MemoryCoreError, Settings, open_memory
from memory_core.server.app import build_server
from memory_core.server.flags import flags
from memory_core.server.logs import log_for
from memory_core.server.run import run


def main() -> int:
    """Serve until the client is gone; return the exit code."""
    given = flags().parse_args()
    gc.freeze()
    gc.enable()
    try:
        settings = Settings.load(
            run_mode=given.transport,
            mcp_host=given.host,
            mcp_port=given.port,
            sqlite_db_file=given.db and given.db.absolute(),
        )
        log_for(settings)
        memory = open_memory(settings)
        run(build_server(memory, settings), memory, settings, with_parent=given.with_parent)
    except MemoryCoreError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
