"""Page Server: the MCP server child, client configuration, and all settings with their source."""

from __future__ import annotations

import sys

import streamlit as st

from dashboard import state, tables
from dashboard.components.formatting import format_count
from dashboard.embedded import Status, server_command
from dashboard.server import clients
from dashboard.server.calls import calls
from dashboard.server.clients import Client, System

HTTP = "Plain HTTP"
# Each by itself, for it is copied by itself.
ADDRESSES = {"Streamable HTTP": "mcp", "SSE, for older clients": "sse"}
THIS: System = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, "Linux")  # type: ignore[assignment]
ELSEWHERE: dict[System, tuple[str, str]] = {
    "macOS": ("/Users/you/turbovec-mcp/.venv/bin/python", "/Users/you/turbovec-mcp/main.py"),
    "Linux": ("/home/you/turbovec-mcp/.venv/bin/python", "/home/you/turbovec-mcp/main.py"),
    "Windows": (
        r"C:\Users\you\turbovec-mcp\.venv\Scripts\python.exe",
        r"C:\Users\you\turbovec-mcp\main.py",
    ),
}


def page() -> None:
    status = state.server().status()
    st.title(_sentence(status))
    _server(status)
    calls()
    st.subheader("Connect a client")
    _clients(status.url)
    st.subheader("Settings")
    _settings()


def _sentence(status: Status) -> str:
    place = status.url.removeprefix("http://")
    return {
        "running": f"The MCP server answers on {place}",
        "elsewhere": f"This memory is served on {place} already",
        "starting": "The MCP server is starting",
        "stopped": "The MCP server is stopped",
        "taken": "The port of the MCP server is taken",
        "failed": "The MCP server ended by itself",
    }[status.state]


def _server(status: Status) -> None:
    if status.reason:
        st.error("The MCP server is not running. The memory itself is not affected.")
        st.code(status.reason, language=None, wrap_lines=True)
    if status.state == "elsewhere":
        st.write("Another process started it, so it is shown here and cannot be stopped from here.")
    with st.container(horizontal=True):
        if status.state in ("stopped", "failed", "taken"):
            if st.button("Start", type="primary"):
                state.server().start()
                st.rerun()
        elif status.state != "elsewhere" and st.button("Stop"):
            state.server().stop()
            st.rerun()
        if st.button("Look again"):
            st.rerun()
    if not status.serving:
        st.caption("The addresses are shown while the server runs.")
        return
    for place, (whom, path) in zip(st.columns(2), ADDRESSES.items(), strict=True):
        place.caption(whom)
        place.code(f"{status.url}/{path}", language=None, wrap_lines=True)
    if status.pid:
        st.caption(f"process {status.pid}, a child of the dashboard: it ends with it")


def _clients(url: str) -> None:
    names = [*(client.name for client in clients.CLIENTS), HTTP]
    left, right = st.columns([2, 3])
    name = left.selectbox("Client", names)
    system = right.radio(
        "System", clients.SYSTEMS, index=clients.SYSTEMS.index(THIS), horizontal=True
    )
    token = state.memory().settings.mcp_token is not None
    if name == HTTP:
        st.write("Any program that speaks MCP over HTTP; this is its first request.")
        st.code(clients.plain_http(url, token=token), language="bash")
        return
    client = next(each for each in clients.CLIENTS if each.name == name)
    _client(client, system, url, token)


def _client(client: Client, system: System, url: str, token: bool) -> None:
    command = server_command() if system == THIS else ELSEWHERE[system]
    if system == "Windows":
        command = tuple(map(clients.forward_slashes, command))
    st.write(client.steps)
    st.code(client.places[system], language=None, wrap_lines=True)
    if client.name == "Claude Code":
        st.code(clients.command_line(command, system), language="bash", wrap_lines=True)
    st.code(clients.stdio_entry(client, command), language="json", wrap_lines=True)
    st.write(clients.WHY_ABSOLUTE)
    if system == "Windows":
        st.write(clients.WHY_BACKSLASHES)
    if system != THIS:
        st.write("The paths are examples; put in the place where the program is on that machine.")
    served = state.server().status().serving
    if served and (over_http := clients.http_entry(client, url, token=token)):
        with st.expander("Over HTTP instead: the client uses the server that runs here"):
            st.code(over_http, language="json")


def _settings() -> None:
    settings = state.memory().settings.sources()
    changed = sum(each.origin != "default" for each in settings)
    st.caption(
        f"{format_count(changed, 'setting')} of {len(settings)} set by the environment or .env; "
        "the others have their default. A change takes effect at the next start."
    )
    st.dataframe(tables.settings_table(settings), hide_index=True, height=420)
    st.caption("The memory is kept in this file:")
    st.code(str(state.memory().db.path), language=None, wrap_lines=True)


page()
