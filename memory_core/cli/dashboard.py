"""The command that starts the dashboard, from a checkout or from an installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from typing import Annotated

import typer

from ..errors import UnavailableError
from ..installation import checkout
from .command import app

PORT = 8501


@app.command(
    "dashboard", epilog="\b\nExamples:\n  turbovec dashboard\n  turbovec dashboard --port 8600"
)
def dashboard(
    port: Annotated[
        int, typer.Option("--port", min=1, max=65535, help="The port on this machine.")
    ] = PORT,
) -> None:
    """Serve the dashboard and its MCP server until Ctrl-C."""
    if find_spec("streamlit") is None or find_spec("dashboard") is None:
        raise UnavailableError(
            "The dashboard is not installed. Install turbovec-mcp with the extra 'dashboard' "
            "(docs/installation.md)."
        )
    command = dashboard_command(port)
    # Streamlit's configuration is in the top folder of a checkout, or next to the script in a
    # wheel.
    folder = checkout()
    if folder is not None:
        os.chdir(folder)
    typer.echo(f"Dashboard: http://localhost:{port} (Ctrl-C stops it)", err=True)
    if os.name == "nt":
        # Windows has no exec, and its consoles send Ctrl-C to the child as well.
        raise typer.Exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)


def dashboard_command(port: int) -> list[str]:
    """Return the command that serves the dashboard with this interpreter."""
    script = str(files("dashboard") / "app.py")
    # -P, so that no module in the working directory replaces one of ours.
    streamlit = [sys.executable, "-P", "-m", "streamlit", "run", script]
    return [*streamlit, "--server.port", str(port)]
