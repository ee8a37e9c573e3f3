"""What the ways out that an error names are called at a terminal."""

from __future__ import annotations

_COMMANDS = {
    "backup_memory": "turbovec backup",
    "restore_backup": "turbovec restore",
    "memory_health": "turbovec doctor",
    "memory_health with repair=true": "turbovec doctor --repair",
    "optimize_memory with reindex=true": "turbovec reindex",
    "import_memory": "turbovec import",
    "search_memory": "turbovec search",
    "search_knowledge": "turbovec list --kind document",
    "list_entities": "turbovec list --kind entity",
    "memory_query": "turbovec list --kind entry",
    "list_memories": "turbovec list",
    "get_hologram": "turbovec search --kind observation",
    "user_id": "--user",
    "without_scope": "--without-scope",
}


def as_typed(act: str) -> str:
    """Return the command or option for what the tools call *act*; some are tools alone."""
    return _COMMANDS.get(act) or f"{act} (a tool of the MCP server)"
