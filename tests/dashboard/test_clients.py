from __future__ import annotations

import json
import shlex

import pytest

from dashboard.server import clients

PYTHON, MAIN = "/home/ann/turbovec mcp/.venv/bin/python", "/home/ann/turbovec mcp/main.py"
URL = "http://localhost:4392"
every_client = pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda client: client.name)


def test_the_clients_we_promise_are_there():
    names = "Claude Desktop, Claude Code, Cursor, Cline, Roo Code, Windsurf, Zoo Code, DeepChat"

    assert names == ", ".join(client.name for client in clients.CLIENTS)
    for client in clients.CLIENTS:
        assert set(clients.SYSTEMS) == set(client.places)


@every_client
def test_the_entry_is_json_that_starts_the_server(client):
    entry = json.loads(clients.stdio_entry(client, (PYTHON, MAIN)))["mcpServers"]["turbovec"]

    assert (PYTHON, [MAIN]) == (entry["command"], entry["args"])


@every_client
def test_the_entry_over_http_has_the_address_where_the_client_looks(client):
    text = clients.http_entry(client, URL, token=True)
    if client.name == "Claude Desktop":
        assert "" == text
        return
    entry = json.loads(text)["mcpServers"]["turbovec"]

    assert f"{URL}/mcp" == entry[client.address]
    assert "Bearer <MCP_TOKEN>" == entry["headers"]["Authorization"]


@every_client
def test_places_are_written_as_each_system_writes_them(client):
    windows = client.places["Windows"]

    assert windows.startswith(("%APPDATA%\\", "%USERPROFILE%\\")) and "/" not in windows
    assert client.places["macOS"].startswith("~/")
    assert client.places["Linux"].startswith("~/")


def test_a_windows_path_survives_json_in_both_forms():
    path = r"C:\Users\Ann\turbovec\.venv\Scripts\python.exe"
    text = clients.stdio_entry(clients.CLIENTS[0], (path, "main.py"))

    assert r"C:\\Users\\Ann" in text
    assert "C:/Users/Ann/turbovec/.venv/Scripts/python.exe" == clients.forward_slashes(path)


def test_the_command_keeps_paths_with_spaces_whole():
    command = clients.command_line((PYTHON, MAIN), "Linux")

    assert [PYTHON, MAIN] == shlex.split(command)[-2:]
    assert f'"{PYTHON}" "{MAIN}"' in clients.command_line((PYTHON, MAIN), "Windows")


def test_a_first_request_over_plain_http():
    assert "Authorization" not in clients.plain_http(URL)
    assert "Bearer <MCP_TOKEN>" in clients.plain_http(URL, token=True)
    assert "initialize" in clients.plain_http(URL)
