"""The MCP server: stdio for the editor that starts it, or HTTP on this machine."""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

# Loading makes tens of thousands of objects that stay: looking for garbage among them
# costs a tenth of the start.
gc.disable()

from memory_core import MemoryCoreError, Settings, open_memory
from memory_core.server.app import build_server
from memory_core.server.logs import log_for
from memory_core.server.run import run


def main() -> int:
    """Serve until the client is gone; return the exit code."""
    given = _arguments().parse_args()
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


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Long-term memory for AI assistants, over MCP.")
    parser.add_argument("--transport", choices=("stdio", "http"), help="which door; default stdio")
    parser.add_argument("--host", help="address of the HTTP server; default 127.0.0.1")
    parser.add_argument("--port", help="port of the HTTP server; default 4392")
    parser.add_argument("--db", type=Path, help="the memory file; default in the data directory")
    parser.add_argument(
        "--with-parent",
        nargs="?",
        const=0,
        type=int,
        metavar="PID",
        help="end an HTTP server with the process above it, or with the one of that number",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
