"""What the ways out that an error names are called at a terminal."""

from __future__ import annotations

_COMMANDS = {
    "backup_memory": "main.py cli backup",
    "restore_backup": "main.py cli restore",
    "memory_health": "main.py cli doctor",
    "memory_health with repair=true": "main.py cli doctor --repair",
    "optimize_memory with reindex=true": "main.py cli reindex",
    "import_memory": "main.py cli import",
    "search_memory": "main.py cli search",
    "search_knowledge": "main.py cli list --kind document",
    "list_entities": "main.py cli list --kind entity",
    "memory_query": "main.py cli list --kind entry",
    "list_memories": "main.py cli list",
    "get_hologram": "main.py cli search --kind observation",
    "user_id": "--user",
    "without_scope": "--without-scope",
}


def as_typed(act: str) -> str:
    """Return the command or option for what the tools call *act*; some are tools alone."""
    return _COMMANDS.get(act) or f"{act} (a tool of the MCP server)"
