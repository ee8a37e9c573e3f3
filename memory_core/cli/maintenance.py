"""Commands: doctor, reindex and config."""

from __future__ import annotations

from typing import Annotated

import typer

from .command import command
from .context import Answer, CliContext


@command("doctor", "doctor", "doctor --repair --json")
def doctor(
    desk: CliContext,
    repair: Annotated[
        bool, typer.Option("--repair", help="Rebuild derived data, after a backup.")
    ] = False,
) -> Answer:
    """Check the file, full text, vectors and journal. Exit code 1 if anything is red."""
    found = desk.memory.health.checkup(repair=repair)
    report = found.report
    lines = [f"{report.status}: {report.file.path} ({report.file.size_bytes:,} bytes)"]
    lines += [f"{each.colour}: {each.what} {each.way_out}" for each in report.problems]
    lines += [f"repaired: {each}" for each in found.repaired]
    lines.append(f"vectors: {report.vectors.stored} stored, {report.vectors.pending} pending")
    hints = [f"A backup was made first: {found.backup}"] if found.backup else []
    if any("repair=true" in each.way_out for each in report.problems):
        hints.append("To repair: turbovec doctor --repair")
    return Answer(found, lines, hints, code=1 if report.status == "red" else 0)


@command("reindex", "reindex")
def reindex(desk: CliContext) -> Answer:
    """Make the vectors that are missing. After a change of EMBEDDING_MODEL that is all of them."""
    desk.memory.embedder.get()
    made = desk.memory.reindex()
    model = desk.memory.embedder.identity().model
    return Answer({"vectors_made": made, "model": model}, [f"{made} vectors made by {model}"])


@command("config", "config", "config --json")
def config(
    desk: CliContext,
    name: Annotated[str, typer.Argument(help="Filter by a part of the name.")] = "",
) -> Answer:
    """Show every setting, its value and its source. Of a secret: only whether it is set."""
    found = [each for each in desk.settings.sources() if name.upper() in each.name]
    width = max((len(each.name) for each in found), default=0)
    lines = [f"{each.name:<{width}}  {each.value or '(unset)'}  [{each.origin}]" for each in found]
    return Answer(found, lines)
