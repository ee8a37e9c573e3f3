"""Commands: import, export, backup, restore and bundles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..model.import_export import ImportResult
from .command import app, command
from .context import Answer, CliContext
from .facts import Yes

Incoming = Literal["auto", "jsonl", "mcp", "sqlite", "okf"]
Outgoing = Literal["jsonl", "okf"]

okf = typer.Typer(
    help="Check bundles of the Open Knowledge Format. They are folders of linked Markdown.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(okf, name="okf")


@command("import", "import memory.jsonl", "import wiki/ --project wiki", path="path")
def import_(
    desk: CliContext,
    path: Annotated[str, typer.Argument(help="A file, or the folder of a bundle.")],
    format: Annotated[
        Incoming, typer.Option("--format", help="The file format; auto detects it.")
    ] = "auto",
) -> Answer:
    """Add what a file or bundle says. What is known stays, and undo takes all of it back."""
    project = desk.common.project or ""
    done = desk.memory.interchange.import_file(path, format=format, project_id=project)
    return Answer(
        done,
        _format_import(done),
        [
            *filter(None, [done.notice]),
            *[f"To take it back: turbovec undo {done.batch_id}"] * bool(done.batch_id),
        ],
    )


@command("export", "export mine.jsonl", "export ./wiki --format okf --project wiki", path="path")
def export(
    desk: CliContext,
    path: Annotated[
        str, typer.Argument(help="A .jsonl file or a folder; a bare name is created in exports.")
    ],
    format: Annotated[
        Outgoing, typer.Option("--format", help="okf writes one project to a folder.")
    ] = "jsonl",
    replace: Annotated[
        bool, typer.Option("--replace", help="okf: write into an existing folder.")
    ] = False,
) -> Answer:
    """Write what is known now to a file, or one project to a bundle."""
    project = desk.common.project or ("*" if format == "jsonl" else desk.project)
    done = desk.memory.interchange.export_project(
        path, format=format, project_id=project, replace=replace
    )
    return Answer(done, [done.path, _counts(done.rows)], [done.notice] * bool(done.notice))


@command("backup", "backup", "backup /media/stick/memory.db", path="path")
def backup(
    desk: CliContext,
    path: Annotated[str, typer.Argument(help="A new file. Default: a file in backups.")] = "",
) -> Answer:
    """Copy the whole memory to a file. The copy is proved; others may write meanwhile."""
    done = desk.memory.upkeep.create_backup(path)
    return Answer(done, [done.path, _counts(done.rows)])


@command("restore", "restore memory-20260314T093000.db --yes", path="path")
def restore(
    desk: CliContext,
    path: Annotated[str, typer.Argument(help="The backup; a bare name is searched in backups.")],
    yes: Yes = False,
) -> Answer:
    """Replace the whole memory by a backup. What is replaced is kept as a file."""
    name = Path(path).name
    desk.confirm(f"The whole memory will be replaced by {path}.", name, yes=yes)
    done = desk.memory.upkeep.restore_backup(path, confirm=name)
    return Answer(done, [f"restored {done.restored}"], [f"Before, it was {done.replaced}"])


@command("validate", "okf validate wiki/", group=okf, path="path")
def validate(
    desk: CliContext, path: Annotated[str, typer.Argument(help="The folder of the bundle.")]
) -> Answer:
    """Check a bundle: front matter, types, timestamps, links. Exit code 1 if there is an error."""
    report = desk.memory.bundles.validate_bundle(path)
    lines = [f"{each.severity}: {each.path}: {each.message}" for each in report.problems]
    lines.append(
        f"{report.documents} documents, {report.links} links, {report.errors} errors, "
        f"{report.warnings} warnings"
    )
    return Answer(report, lines, code=0 if report.valid else 1)


@command("graph", "okf graph wiki/ --start tables/orders.md", group=okf, path="path")
def graph(
    desk: CliContext,
    path: Annotated[str, typer.Argument(help="The folder of the bundle.")],
    start: Annotated[
        str, typer.Option("--start", help="Count the documents reachable from this one.")
    ] = "",
) -> Answer:
    """Show how the documents of a bundle link to each other. Also shown: what is out of reach."""
    found = desk.memory.bundles.bundle_graph(path, start=start)
    lines = []
    for node in found.nodes:
        lines.append(f"{node.path} ({node.type})")
        lines += [f"  -> {target}" for target in node.outgoing]
        lines += [f"  <- {source}" for source in node.incoming]
    lines.append(f"reachable: {len(found.reachable)}, out of reach: {len(found.unreachable)}")
    lines += [f"out of reach: {each}" for each in found.unreachable]
    return Answer(found, lines)


def _format_import(done: ImportResult) -> list[str]:
    return [
        f"format {done.format}",
        f"added: {_counts(done.added) or 'nothing'}",
        f"already there: {_counts(done.already_there) or 'nothing'}",
        *(f"left out: {each.where}: {each.why}" for each in done.refused),
        *(f"not imported: {each}" for each in done.not_recognised),
        *([f"left out in all: {done.refused_count}"] if done.refused_count else []),
    ]


def _counts(rows: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in rows.items() if count)
