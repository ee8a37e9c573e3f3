"""HTTP transport: /mcp, the older /sse, and /health, in one process.

Four questions are asked of every request, before anything reads it: does its sender keep to a
rate, does it name a host that is ours, does it come from a page that is ours, does it carry the
token. Without a token the server is reachable from this machine only.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import re
import socket
import sys
from collections.abc import AsyncIterator
from typing import Any

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import ConfigurationError
from ...settings import APPLICATION, Settings
from .connections import bounded_config
from .rate_limit import BoundedRate, Buckets
from .surrogates import repair_surrogates

# A document may come in one call; a file is read from disk instead.
BODY_BYTES = 8 * 1024 * 1024
# Requests that arrive more slowly than this are refused.
BODY_SECONDS = 60.0
# Idle sessions expire; a returning client starts another one.
IDLE_SECONDS = 30 * 60.0
SESSIONS = 1000

# The SDK takes anything behind the colon of a known host for its port, a foreign name as well.
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}")

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve_http(server: MCPServer[Any], settings: Settings, *, database: str) -> None:
    """Serve until stopped; raise ConfigurationError when the address cannot be used."""
    refuse_open_bind(settings)
    listening = _listen(settings)
    host, port = listening.getsockname()[:2]
    # For the terminal, and for callers that requested port 0.
    sys.stderr.write(f"Serving http://{_bracket_host(host)}:{port}/mcp and /sse\n")
    sys.stderr.flush()
    app = build_app(server, settings, database=database)
    uvicorn.Server(bounded_config(app)).run(sockets=[listening])


def refuse_open_bind(settings: Settings) -> None:
    """Raise ConfigurationError when others could reach the server and no token keeps them out."""
    if settings.mcp_token is None and not _is_loopback(settings.mcp_host):
        raise ConfigurationError(
            f"MCP_HOST = {settings.mcp_host!r} lets other machines in, so MCP_TOKEN must be set. "
            "Set it to a secret of at least 8 characters, or MCP_HOST to 127.0.0.1."
        )


def build_app(
    server: MCPServer[Any],
    settings: Settings,
    *,
    database: str,
    buckets: Buckets | None = None,
    idle_seconds: float = IDLE_SECONDS,
    body_seconds: float = BODY_SECONDS,
) -> Starlette:
    """Return the whole HTTP application; *database* is what /health says it serves."""
    security = _security(settings)
    streamable = server.streamable_http_app(
        transport_security=security,
        max_request_body_size=BODY_BYTES,
        session_idle_timeout=idle_seconds,
        max_sessions=SESSIONS,
    )
    sse = server.sse_app(transport_security=security, max_request_body_size=BODY_BYTES)

    async def health(request: Request) -> JSONResponse:
        return JSONResponse(
            {"ok": True, "name": APPLICATION, "version": server.version, "database": database}
        )

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    token = settings.mcp_token.get_secret_value() if settings.mcp_token else ""
    return Starlette(
        routes=[Route("/health", health), *streamable.routes, *sse.routes],
        middleware=[
            Middleware(BoundedRate, buckets=buckets or Buckets()),
            Middleware(_OursOnly, security=security),
            Middleware(_BearerToken, token=token),
            Middleware(_RepairedBody, seconds=body_seconds),
        ],
        lifespan=lifespan,
    )


class _OursOnly:
    """Refuse a foreign Host (421) or Origin (403), so that no web page can reach in."""

    def __init__(self, app: ASGIApp, security: TransportSecuritySettings) -> None:
        self._app = app
        self._check = TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope)
            refusal = _ambiguous(request) or await self._check.validate_request(request)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _BearerToken:
    """Ask for the token everywhere but at /health, when one is set."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._expected and scope["path"] != "/health":
            given = [value for name, value in scope["headers"] if name == b"authorization"]
            # A proxy may have checked the other one of two.
            if not hmac.compare_digest(b"\n".join(given), self._expected):
                refusal = JSONResponse(
                    {"error": "Send the header 'Authorization: Bearer <MCP_TOKEN>'."},
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _RepairedBody:
    """Hand the body on in one piece, its broken escapes repaired, or refuse it (413, 408)."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body, complete = bytearray(), False
        with anyio.move_on_after(self._seconds):
            while not complete and len(body) <= BODY_BYTES:
                message = await receive()
                body += message.get("body", b"")
                complete = not message.get("more_body", False)
        refusal = self._refusal(len(body), complete)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, _once(repair_surrogates(bytes(body)), receive), send)

    def _refusal(self, size: int, complete: bool) -> JSONResponse | None:
        if size > BODY_BYTES:
            return JSONResponse({"error": f"At most {BODY_BYTES} bytes."}, status_code=413)
        if not complete:
            message = f"The request was not complete after {self._seconds:.0f} seconds."
            return JSONResponse({"error": message}, 408, headers={"Connection": "close"})
        return None


def _ambiguous(request: Request) -> JSONResponse | None:
    """Refuse a Host or Origin that is none, or that comes twice: another may read it otherwise."""
    for name, form, status in (("host", _HOST, 421), ("origin", _ORIGIN, 403)):
        given = request.headers.getlist(name)
        if len(given) > 1 or any(value and not form.fullmatch(value) for value in given):
            return JSONResponse({"error": f"Invalid {name.title()} header"}, status)
    return None


def _once(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives *body* first and then the remaining messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


def _security(settings: Settings) -> TransportSecuritySettings:
    named = (settings.mcp_host, *settings.mcp_allowed_hosts)
    hosts = [*_LOOPBACK, *(_bracket_host(name) for name in named if not _is_wildcard(name))]
    hosts = [pattern for host in hosts for pattern in (host, f"{host}:*")]
    return TransportSecuritySettings(
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")],
    )


def _listen(settings: Settings) -> socket.socket:
    host, port = settings.mcp_host, settings.mcp_port
    try:
        return socket.create_server((host, port), family=_family(host), backlog=128)
    except OSError as error:
        raise ConfigurationError(
            f"MCP_HOST = {host!r}, MCP_PORT = {port}: {error.strerror or error}. Another program "
            "may be serving there: stop it, or choose another port in MCP_PORT."
        ) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    return host in ("0.0.0.0", "::", "*")


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
