from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from functools import partial

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from support import PATIENCE

from .stdio_process import HELLO, MAIN, StdioProcess, environment

ACCEPT = {"accept": "application/json, text/event-stream"}
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}


request = partial(httpx2.request, timeout=PATIENCE)
get, post = partial(request, "GET"), partial(request, "POST")


@contextmanager
def served(folder, *arguments, **settings):
    """Start a server on a free port; yield its address once it listens."""
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "--port", "0", *arguments],
        env=environment(folder, **settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        line = process.stderr.readline().decode()
        yield re.search(r"http://[^/]+", line)[0]
    finally:
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE)
        assert (0, b"") == (process.returncode, out), err


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served(tmp_path_factory.mktemp("http"), run_mode="local") as url:
        yield url


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for a token."""
    folder = tmp_path_factory.mktemp("guarded")
    with served(folder, "--transport", "http", MCP_TOKEN="correct-horse") as url:
        yield url


def names_of_tools(target):
    async def ask():
        async with Client(target) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    return anyio.run(ask)


def test_both_http_transports_list_the_tools(address):
    over_mcp = names_of_tools(streamable_http_client(f"{address}/mcp"))
    over_sse = names_of_tools(sse_client(f"{address}/sse", timeout=PATIENCE))

    assert "create_entity" in over_mcp
    assert over_mcp == over_sse


def test_health_endpoint_identifies_server_and_memory(address):
    health = get(f"{address}/health").json()

    assert (True, "turbovec-mcp") == (health["ok"], health["name"])
    assert health["database"] and health["version"]


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/", "/health"])
@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "evil.example", 421),
        ("host", "127.0.0.1.evil.example:4392", 421),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
    ],
)
def test_foreign_origins_are_rejected(address, path, header, value, status):
    answer = request(
        "GET" if path in ("/sse", "/health") else "POST",
        f"{address}{path}",
        json=INITIALIZE,
        headers={**ACCEPT, header: value},
    )

    assert status == answer.status_code


def test_local_origins_are_allowed(address):
    answer = post(
        f"{address}/mcp", json=INITIALIZE, headers={**ACCEPT, "origin": "http://localhost:3000"}
    )

    assert 200 == answer.status_code


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", "correct-horse", "Bearer ü"])
def test_requests_without_the_token_are_rejected(guarded, authorization):
    headers = {**ACCEPT, "authorization": authorization.encode("latin-1")}
    answers = [
        post(f"{guarded}/mcp", json=INITIALIZE, headers=headers),
        get(f"{guarded}/sse", headers=headers),
        post(f"{guarded}/messages/", json=INITIALIZE, headers=headers),
    ]

    assert [401, 401, 401] == [answer.status_code for answer in answers]
    assert "Bearer" == answers[0].headers["www-authenticate"]


def test_token_grants_access_and_health_needs_no_token(guarded):
    headers = {**ACCEPT, "authorization": "Bearer correct-horse"}

    assert 200 == post(f"{guarded}/mcp", json=INITIALIZE, headers=headers).status_code
    assert 200 == get(f"{guarded}/health").status_code


def test_logs_contain_no_secrets_or_memory_text(tmp_path):
    secrets = {
        "MCP_TOKEN": "correct-horse-1",
        "DASHBOARD_PASSWORD": "battery-staple-2",
        "LLM_API_KEY": "sk-" + "test-a1b2c3d4e5f6g7h8i9j0",
    }
    asked = {"text": "Ann likes tea.", "user_id": "ann"}
    call = {"name": "remember", "arguments": asked}
    settings = {"LLM_PROVIDER": "openai_compatible", "LLM_BASE_URL": "http://127.0.0.1:9/v1"}
    with served(
        tmp_path, "--transport", "http", LOG_LEVEL="DEBUG", LLM_MODEL="m", **settings, **secrets
    ) as url:
        for token in ("correct-horse-1", "wrong-horse-3"):
            headers = {**ACCEPT, "authorization": f"Bearer {token}"}
            hello = post(f"{url}/mcp", json=INITIALIZE, headers=headers)
            session = {"mcp-session-id": hello.headers.get("mcp-session-id", "none")}
            question = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            post(f"{url}/mcp", json=question, headers=headers | session)

    log = (tmp_path / "server.log").read_text(encoding="utf-8")
    assert "remember" in log
    private = (*secrets.values(), "wrong-horse-3", "likes tea")
    assert [] == [each for each in private if each in log]


def test_lone_surrogates_do_not_drop_the_message(address):
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"half \\ud83d","version":"0"}}}'
    )
    answer = post(
        f"{address}/mcp", content=body, headers={**ACCEPT, "content-type": "application/json"}
    )

    assert 200 == answer.status_code


def test_a_body_that_is_too_large_is_refused(address):
    answer = post(
        f"{address}/mcp",
        content=b" " * (8 * 1024 * 1024 + 1),
        headers={**ACCEPT, "content-type": "application/json"},
    )

    assert 413 == answer.status_code


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_non_loopback_bind_requires_a_token(tmp_path, host):
    ran = subprocess.run(
        [sys.executable, str(MAIN), "--transport", "http", "--host", host, "--port", "0"],
        env=environment(tmp_path),
        capture_output=True,
        timeout=PATIENCE,
    )

    assert (1, b"") == (ran.returncode, ran.stdout)
    assert b"MCP_TOKEN must be set" in ran.stderr and b"Traceback" not in ran.stderr


def test_configured_host_names_are_accepted(tmp_path):
    settings = {"MCP_TOKEN": "correct-horse", "MCP_ALLOWED_HOSTS": "box.lan"}
    with served(
        tmp_path, "--transport", "http", "--host", "0.0.0.0", run_mode="", **settings
    ) as url:
        port = url.rpartition(":")[2]
        ours, foreign = (
            get(f"http://127.0.0.1:{port}/health", headers={"host": host}).status_code
            for host in (f"box.lan:{port}", f"evil.example:{port}")
        )

    assert (200, 421) == (ours, foreign)


def test_occupied_port_is_named_in_the_error(tmp_path, address):
    ran = subprocess.run(
        [sys.executable, str(MAIN), "--transport", "http", "--port", address.rpartition(":")[2]],
        env=environment(tmp_path),
        capture_output=True,
        timeout=PATIENCE,
    )

    assert 1 == ran.returncode
    assert b"choose another port in MCP_PORT" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")
def test_bound_server_exits_with_its_parent(tmp_path):
    starter = (
        "import subprocess, sys, time; subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL);"
        "time.sleep(600)"
    )
    server = (sys.executable, str(MAIN), "--transport", "http", "--port", "0", "--with-parent")
    with StdioProcess(tmp_path, "-c", starter, *server) as stdio:
        assert b"Serving" in stdio.process.stderr.readline()
        stdio.process.kill()

        assert b"" == stdio.process.stdout.read()
        assert not stdio.gave_up
