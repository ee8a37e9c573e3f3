"""Entry point of the MCP server: ``turbovec-mcp`` and ``python -m memory_core.server``."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Serve until the client is gone; return the exit code."""
    # Modules stay loaded, and searching them for garbage takes a tenth of the start.
    gc.disable()
    from ..errors import MemoryCoreError
    from ..memory import open_memory
    from ..settings import Settings
    from .app import build_server
    from .flags import flags
    from .logs import log_for
    from .transports.run import run

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
