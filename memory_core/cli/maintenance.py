"""Commands: doctor, reindex, history and config."""

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


@command("history", "history", "history --keep-days 90", "history --trim --keep-versions 20")
def history(
    desk: CliContext,
    trim: Annotated[
        bool, typer.Option("--trim", help="Delete the older states, after a backup.")
    ] = False,
    keep_days: Annotated[
        int | None, typer.Option("--keep-days", help="Default: HISTORY_KEEP_DAYS.")
    ] = None,
    keep_versions: Annotated[
        int | None, typer.Option("--keep-versions", help="Default: HISTORY_KEEP_VERSIONS.")
    ] = None,
) -> Answer:
    """Show the size of the history, and trim it with --trim."""
    trimming = desk.memory.history_trimming
    if not trim:
        size = trimming.history_size(keep_days=keep_days, keep_versions=keep_versions)
        lines = [f"{size.changes:,} changes, {size.size_bytes:,} bytes"]
        if size.keep_days or size.keep_versions:
            lines.append(
                f"Trimming would delete {size.trimmable_changes:,} changes of "
                f"{size.trimmable_records:,} records ({size.trimmable_characters:,} characters)."
            )
        hints = ["To delete them: turbovec history --trim"] if size.trimmable_changes else []
        return Answer(size, lines, hints)
    done = trimming.trim_history(keep_days=keep_days, keep_versions=keep_versions)
    lines = [
        f"{done.deleted_changes:,} changes deleted; {done.after.changes:,} changes, "
        f"{done.after.size_bytes:,} bytes left"
    ]
    hints = [f"A backup was made first: {done.backup}"] if done.backup else []
    return Answer(done, lines, [*hints, *([done.notice] if done.notice else [])])


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
