"""Looking after the memory: health, the librarian, copies, tidying up, erasing for good."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...memory import Memory
from ...model.graph.librarian import LibrarianReport
from ...model.health import HealthCheckResult
from ...model.import_export import ExportResult, ImportResult
from ...model.maintenance import Backup, EraseResult, OptimizeResult, RestoredBackup
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Memory health")
def memory_health(
    memory: Memory,
    repair: Annotated[
        bool, Field(description="Rebuild derived data after verification and a backup.")
    ] = False,
) -> HealthCheckResult:
    """Check the database, full-text index, vector index and audit log. Each problem includes a
    fix."""
    return memory.health.checkup(repair=repair)


@tool(title="Run a librarian cycle", idempotent=True)
def run_librarian_cycle(
    memory: Memory,
    dry_run: Annotated[bool, Field(description="Dry run: only report what would happen.")] = False,
    project_id: p.ProjectId = "default",
) -> LibrarianReport:
    """Run the librarian: cluster similar entities into concepts; report duplicates, contradictions
    and suggested relations."""
    return memory.librarian.run_cycle(project_id=project_id, dry_run=dry_run)


@tool(title="Optimize memory", idempotent=True)
def optimize_memory(
    memory: Memory,
    reindex: Annotated[
        bool,
        Field(description="First embed everything again with a changed EMBEDDING_MODEL."),
    ] = False,
) -> OptimizeResult:
    """Delete derived data that is no longer needed, and compact the database."""
    return memory.optimize(reindex=reindex)


@tool(title="Back up memory")
def backup_memory(
    memory: Memory,
    path: Annotated[
        str,
        Field(
            description="New file; a bare name is created in the backups folder. Empty: generated."
        ),
    ] = "",
) -> Backup:
    """Create a verified backup of the whole database while others write."""
    return memory.upkeep.create_backup(path)


@tool(title="Restore backup", destroys=True)
def restore_backup(
    memory: Memory,
    path: Annotated[
        str, Field(description="The backup; a bare name is looked up in the backups folder.")
    ],
    confirm: Annotated[
        str, Field(description="Confirmation: repeat the file name of the backup.")
    ] = "",
    user_id: p.UserId = "",
) -> RestoredBackup:
    """Replace the whole database with a backup, unless either has records of another user. The
    replaced database is kept as a file."""
    return memory.upkeep.restore_backup(path, confirm=confirm, user_id=user_id)


@tool(title="Export memory")
def export_memory(
    memory: Memory,
    path: Annotated[
        str,
        Field(
            description="A .jsonl file or a folder; a bare name is created in the exports folder."
        ),
    ],
    format: Annotated[
        Literal["jsonl", "okf"],
        Field(description="jsonl: one record per line; okf: a Markdown folder of one project."),
    ] = "jsonl",
    project_id: p.AnyProjectId = "*",
    user_id: p.UserId = "",
    replace: Annotated[
        bool, Field(description="okf: replace files in an existing folder.")
    ] = False,
) -> ExportResult:
    """Export current data to a file or folder. An existing JSON Lines export is replaced."""
    return memory.interchange.export_project(
        path, format=format, project_id=project_id, user_id=user_id, replace=replace
    )


@tool(title="Import memory", idempotent=True)
def import_memory(
    memory: Memory,
    path: Annotated[
        str,
        Field(description="The file or folder; a bare name is looked up in the exports folder."),
    ],
    format: Annotated[
        Literal["auto", "jsonl", "mcp", "sqlite", "okf"],
        Field(
            description="jsonl: an export; mcp: JSON of a knowledge-graph server; sqlite: a "
            "database of this program, Turbovec MCP, turbomem, VellumMem or another; okf: a "
            "Markdown folder or its zip."
        ),
    ] = "auto",
    project_id: Annotated[
        str, Field(description="Target project. Empty: the export's own projects, or default")
    ] = "",
    user_id: p.UserId = "",
) -> ImportResult:
    """Import a file or folder. Existing data is not changed, and undo reverts the whole import."""
    return memory.interchange.import_file(
        path, format=format, project_id=project_id, user_id=user_id
    )


@tool(title="Clear memory", destroys=True)
def clear_memory(
    memory: Memory,
    confirm: Annotated[str, Field(description="Confirmation: repeat the project_id.")] = "",
    project_id: p.AnyProjectId = "default",
    user_id: p.UserId = "",
    backup: p.WithBackup = True,
) -> EraseResult:
    """Permanently erase a project with its history, except records of users that are not named.
    Ask the user first."""
    return memory.upkeep.clear_project(
        confirm, project_id=project_id, user_id=user_id, backup=backup
    )


@tool(title="Purge", destroys=True)
def purge(
    memory: Memory,
    ids: Annotated[list[str], Field(description="Ids of any records, including deleted ones.")],
    confirm: Annotated[str, Field(description="Confirmation: repeat the project_id.")] = "",
    scope: p.ToolScope = p.DEFAULT_SCOPE,
    backup: p.WithBackup = True,
) -> EraseResult:
    """Permanently erase single records with their history and dependent records. Ask the user
    first."""
    return memory.upkeep.purge_rows(
        ids,
        confirm=confirm,
        **dict(scope),
        backup=backup,
    )
