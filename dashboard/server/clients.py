"""
Configuration of this server for each MCP client: file, location and contents.

The interpreter is given by its absolute path. Clients start the server in their own directory
and with their own PATH, where a bare ``python`` may be another interpreter without this package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

System = Literal["macOS", "Windows", "Linux"]
SYSTEMS: tuple[System, ...] = ("macOS", "Windows", "Linux")
SERVER = "turbovec"

WHY_ABSOLUTE = (
    "The interpreter path must be absolute: the client starts the server with its own directory "
    "and PATH, where plain python may be another interpreter without the required packages."
)
WHY_BACKSLASHES = (
    "In JSON a backslash must be escaped. Forward slashes also work on Windows and need no "
    "escaping."
)


@dataclass(frozen=True)
class Client:
    """
    One MCP client.

    Attributes:
        places: Path of the configuration file, by system.

        steps: How to open it manually.

        extra: Additional fields of an entry.

        over_http: Entry for an HTTP server, without the URL; None if unsupported.

        address: Name of the URL field.
    """

    name: str
    places: Mapping[System, str]
    steps: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    over_http: Mapping[str, Any] | None = field(default_factory=dict)
    address: str = "url"


def _vs_code(extension: str, file: str) -> dict[System, str]:
    below = f"Code/User/globalStorage/{extension}/settings/{file}"
    return {
        "macOS": f"~/Library/Application Support/{below}",
        "Windows": "%APPDATA%\\" + below.replace("/", "\\"),
        "Linux": f"~/.config/{below}",
    }


def _in_home(path: str) -> dict[System, str]:
    windows = "%USERPROFILE%\\" + path.replace("/", "\\")
    return {"macOS": f"~/{path}", "Windows": windows, "Linux": f"~/{path}"}


def _in_settings(folder: str, file: str) -> dict[System, str]:
    return {
        "macOS": f"~/Library/Application Support/{folder}/{file}",
        "Windows": f"%APPDATA%\\{folder}\\{file}",
        "Linux": f"~/.config/{folder}/{file}",
    }


CLIENTS: tuple[Client, ...] = (
    Client(
        "Claude Desktop",
        _in_settings("Claude", "claude_desktop_config.json"),
        "Settings, Developer, Edit Config. Quit and start Claude Desktop afterwards.",
        over_http=None,
    ),
    Client(
        "Claude Code",
        _in_home(".claude.json"),
        "Run the command below once, or add the entry to a project's .mcp.json to share it.",
        over_http={"type": "http"},
    ),
    Client(
        "Cursor",
        _in_home(".cursor/mcp.json"),
        "Settings, MCP, Add new global MCP server; or .cursor/mcp.json in one project.",
    ),
    Client(
        "Cline",
        _vs_code("saoudrizwan.claude-dev", "cline_mcp_settings.json"),
        "MCP Servers in the panel of Cline, Configure, Configure MCP Servers.",
        extra={"disabled": False, "autoApprove": []},
        over_http={"type": "streamableHttp"},
    ),
    Client(
        "Roo Code",
        _vs_code("rooveterinaryinc.roo-cline", "mcp_settings.json"),
        "MCP Servers in the panel of Roo Code, Edit Global MCP; or .roo/mcp.json in one project.",
        extra={"disabled": False, "alwaysAllow": []},
        over_http={"type": "streamable-http"},
    ),
    Client(
        "Windsurf",
        _in_home(".codeium/windsurf/mcp_config.json"),
        "Settings, Cascade, MCP Servers, Manage, View raw config; then Refresh.",
        address="serverUrl",
    ),
    Client(
        "Zoo Code",
        _vs_code("zoocodeorganization.zoo-code", "mcp_settings.json"),
        "MCP Servers in the panel of Zoo Code, Edit Global MCP.",
        extra={"disabled": False, "alwaysAllow": []},
        over_http={"type": "streamable-http"},
    ),
    Client(
        "DeepChat",
        _in_settings("DeepChat", "mcp-settings.json"),
        "Settings, MCP Settings, Add Server, then paste the JSON.",
        extra={"type": "stdio"},
        over_http={"type": "http"},
        address="baseUrl",
    ),
)


def stdio_entry(client: Client, command: Sequence[str]) -> str:
    """Return the JSON entry with which *client* starts the server itself."""
    entry = {"command": command[0], "args": list(command[1:]), **client.extra}
    return _json({"mcpServers": {SERVER: entry}})


def http_entry(client: Client, url: str, *, token: bool = False) -> str:
    """Return the JSON entry for the running HTTP server, or "" if unsupported."""
    if client.over_http is None:
        return ""
    extra = {name: value for name, value in client.extra.items() if name != "type"}
    entry = {**client.over_http, client.address: f"{url}/mcp", **extra}
    if token:
        entry["headers"] = {"Authorization": "Bearer <MCP_TOKEN>"}
    return _json({"mcpServers": {SERVER: entry}})


def command_line(command: Sequence[str], system: System) -> str:
    """Return the command that registers the server in Claude Code."""
    quoted = " ".join(_quote(each, system) for each in command)
    return f"claude mcp add --scope user {SERVER} -- {quoted}"


def forward_slashes(path: str) -> str:
    return path.replace("\\", "/")


def plain_http(url: str, *, token: bool = False) -> str:
    """Return an initialize request as a curl command."""
    lines = [
        f"curl {url}/mcp \\",
        *(["  -H 'Authorization: Bearer <MCP_TOKEN>' \\"] if token else []),
        "  -H 'Content-Type: application/json' \\",
        "  -H 'Accept: application/json, text/event-stream' \\",
        f"  -d '{json.dumps(_INITIALIZE)}'",
    ]
    return "\n".join(lines)


_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "curl", "version": "1"},
    },
}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _quote(path: str, system: System) -> str:
    if not set(path) & set(" '\"\\&()$`;"):
        return path
    if system == "Windows":
        return f'"{path}"'
    return "'" + path.replace("'", "'\\''") + "'"
