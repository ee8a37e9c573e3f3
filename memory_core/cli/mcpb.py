"""Commands: bundles for desktop clients."""

from __future__ import annotations

from typing import Annotated

import typer

from ..home_folder import expand_home
from ..settings import APPLICATION, VERSION
from ..storage import open_files
from .command import command
from .context import Answer, CliContext


@command("mcpb", "mcpb", "mcpb memory.mcpb --replace", path="path")
def mcpb(
    desk: CliContext,
    path: Annotated[
        str, typer.Argument(help="The file to write. Default: name and version, in this folder.")
    ] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> Answer:
    """Build the bundle that Claude Desktop installs by one click."""
    # Imported lazily: the server with its tool table is slow to import.
    from ..server.mcpb import build

    target = expand_home(path or f"{APPLICATION}-{VERSION}.mcpb").absolute()
    if target.exists():
        open_files.refuse_file_of(desk.settings.database_path(), target)
    built = build(target, replace=replace)
    lines = [built.path, f"version {built.version}, {built.tools} tools, {built.files} files"]
    hint = "In Claude Desktop: Settings, Extensions, Install Extension; or double-click the file."
    return Answer(built, lines, [hint])
