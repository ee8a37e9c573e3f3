"""Looking after the memory: health, the librarian, copies, tidying up, erasing for good."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...memory import Memory
from ...model.graph.librarian import LibrarianReport
from ...model.health import Checkup
from ...model.import_export import Exported, Imported
from ...model.maintenance import Backup, Erased, Optimized, RestoredBackup
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Memory health")
def memory_health(
    memory: Memory,
    repair: Annotated[
        bool, Field(description="Make anew what is derived, after proof and a backup.")
    ] = False,
) -> Checkup:
    """Check the file, full text, vectors and journal; every problem comes with its way out."""
    return memory.health.checkup(repair=repair)


@tool(title="Run a librarian cycle", idempotent=True)
def run_librarian_cycle(
    memory: Memory,
    dry_run: Annotated[bool, Field(description="Only say what would be done.")] = False,
    project_id: p.ProjectId = "default",
) -> LibrarianReport:
    """Group similar entities into named concepts; report duplicates, contradictions, relations."""
    return memory.librarian.run_cycle(project_id=project_id, dry_run=dry_run)


@tool(title="Optimize memory", idempotent=True)
def optimize_memory(
    memory: Memory,
    reindex: Annotated[
        bool,
        Field(description="Make the vectors that a changed EMBEDDING_MODEL lacks, first."),
    ] = False,
) -> Optimized:
    """Drop what is derived and no longer needed, and make the file smaller."""
    return memory.optimize(reindex=reindex)


@tool(title="Back up memory")
def backup_memory(
    memory: Memory,
    path: Annotated[
        str,
        Field(
            description="A new file; a bare name lies in the backups folder. Empty: one is made."
        ),
    ] = "",
) -> Backup:
    """Copy the whole memory to a file and prove the copy; others may write meanwhile."""
    return memory.upkeep.backup(path)


@tool(title="Restore backup", destroys=True)
def restore_backup(
    memory: Memory,
    path: Annotated[str, Field(description="The backup; a bare name lies in the backups folder.")],
    confirm: Annotated[str, Field(description="The backup's file name, once more.")] = "",
) -> RestoredBackup:
    """Replace the whole memory by a backup. What is replaced is kept as a file."""
    return memory.upkeep.restore_backup(path, confirm=confirm)


@tool(title="Export memory")
def export_memory(
    memory: Memory,
    path: Annotated[
        str,
        Field(description="A file ending in .jsonl, or a folder; a bare name: in exports."),
    ],
    format: Annotated[
        Literal["jsonl", "okf"],
        Field(description="jsonl: one row a line; okf: a folder of Markdown, of one project."),
    ] = "jsonl",
    project_id: p.AnyProjectId = "*",
    replace: Annotated[
        bool, Field(description="okf: whether files of a folder that is there are replaced.")
    ] = False,
) -> Exported:
    """Write what is known now to a file or folder; an older jsonl export is replaced."""
    return memory.interchange.export(path, format=format, project_id=project_id, replace=replace)


@tool(title="Import memory", idempotent=True)
def import_memory(
    memory: Memory,
    path: Annotated[
        str, Field(description="The file or folder; a bare name lies in the exports folder.")
    ],
    format: Annotated[
        Literal["auto", "jsonl", "mcp", "sqlite", "okf"],
        Field(
            description="jsonl: an export; mcp: a knowledge-graph server's JSON lines; sqlite: a "
            "memory, or another program's file; okf: a folder of Markdown, or a zip of it."
        ),
    ] = "auto",
    project_id: Annotated[
        str, Field(description="Where everything goes. Empty: an export's own projects, or default")
    ] = "",
) -> Imported:
    """Add what a file says; what is known stays as it is. Undo takes the whole import back."""
    return memory.interchange.import_file(path, format=format, project_id=project_id)


@tool(title="Clear memory", destroys=True)
def clear_memory(
    memory: Memory,
    confirm: Annotated[str, Field(description="The name in project_id, once more.")] = "",
    project_id: p.AnyProjectId = "default",
    user_id: p.UserId = "",
    backup: p.WithBackup = True,
) -> Erased:
    """Erase a project with its history permanently, but for users not named. Ask first."""
    return memory.upkeep.clear(confirm, project_id=project_id, user_id=user_id, backup=backup)


@tool(title="Purge", destroys=True)
def purge(
    memory: Memory,
    ids: Annotated[
        list[str], Field(description="Ids of entities, observations or others, deleted ones too.")
    ],
    confirm: Annotated[str, Field(description="The name in project_id, once more.")] = "",
    project_id: p.ProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
    backup: p.WithBackup = True,
) -> Erased:
    """Erase single records with their history and all that hangs on them. Ask first."""
    return memory.upkeep.purge(
        ids,
        confirm=confirm,
        project_id=project_id,
        user_id=user_id,
        agent_id=agent_id,
        session_id=session_id,
        backup=backup,
    )
