"""Command-line flags of the server; they override the environment and .env."""

from __future__ import annotations

import argparse
from pathlib import Path

from .._version import VERSION


def flags() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="turbovec-mcp",
        description="Long-term memory for AI assistants, over MCP.",
        epilog="turbovec --help shows the commands for a terminal.",
    )
    parser.add_argument("--version", action="version", version=f"turbovec-mcp {VERSION}")
    parser.add_argument("--transport", choices=("stdio", "http"), help="transport; default stdio")
    parser.add_argument("--host", help="address of the HTTP server; default 127.0.0.1")
    parser.add_argument("--port", help="port of the HTTP server; default 4392")
    parser.add_argument("--db", type=Path, help="the memory file; default in the data directory")
    parser.add_argument(
        "--with-parent",
        metavar="PID",
        nargs="?",
        type=int,
        const=0,
        help="end an HTTP server with that process, or with the one above it",
    )
    return parser
