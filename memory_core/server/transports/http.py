"""HTTP transport: /mcp, the older /sse, and /health, in one process.

Four conditions are checked for every request, before anything reads it: its sender keeps to a
rate, its Host and its Origin are allowed, and it carries the token. Without a token the server is
reachable from this machine only.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
from collections.abc import AsyncIterator
from typing import Any

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import ConfigurationError
from ...rules.limits import (
    HTTP_BODY_BYTES,
    HTTP_BODY_SECONDS,
    HTTP_SESSION_SECONDS,
    HTTP_SESSIONS,
)
from ...settings import APPLICATION, Settings
from .connections import bounded_config
from .messages import InvalidMessageError, parse_message, repair_message
from .rate_limit import BoundedRate, Buckets
from .requests import BearerToken, OursOnly, normalize_host, unsupported_version
from .sessions import BoundedSessions

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_MESSAGE_PATHS = ("/mcp", "/messages/")


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
    idle_seconds: float = HTTP_SESSION_SECONDS,
    body_seconds: float = HTTP_BODY_SECONDS,
    sessions: int = HTTP_SESSIONS,
) -> Starlette:
    """Return the whole HTTP application; *database* is what /health says it serves."""
    security = _security(settings)
    streamable = server.streamable_http_app(
        transport_security=security,
        max_request_body_size=HTTP_BODY_BYTES,
        session_idle_timeout=idle_seconds,
        # BoundedSessions ends the idlest one, where the SDK would refuse the new one.
        max_sessions=None,
    )
    sse = server.sse_app(transport_security=security, max_request_body_size=HTTP_BODY_BYTES)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    token = settings.mcp_token.get_secret_value() if settings.mcp_token else ""
    return Starlette(
        routes=[_health_route(server.version, database), *streamable.routes, *sse.routes],
        middleware=[
            Middleware(BoundedRate, buckets=buckets or Buckets()),
            Middleware(OursOnly, security=security),
            Middleware(BearerToken, token=token),
            Middleware(_CheckedBody, seconds=body_seconds),
            Middleware(BoundedSessions, most=sessions),
        ],
        lifespan=lifespan,
    )


def _health_route(version: str | None, database: str) -> Route:
    async def health(request: Request) -> JSONResponse:
        answer = {"ok": True, "name": APPLICATION, "version": version}
        return JSONResponse(answer | ({"database": database} if request["authorized"] else {}))

    return Route("/health", health)


class _CheckedBody:
    """Pass the body on in one piece, or refuse it: too large, too slow, or no valid message."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _wrong_version(Request(scope))
        if refusal is None and scope["method"] == "POST":
            body, complete = bytearray(), False
            with anyio.move_on_after(self._seconds):
                while not complete and len(body) <= HTTP_BODY_BYTES:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    body += message.get("body", b"")
                    complete = not message.get("more_body", False)
            repaired = repair_message(bytes(body))
            refusal = self._incomplete(len(body), complete) or _invalid(scope, repaired)
            receive = _once(repaired, receive)
        await (refusal or self._app)(scope, receive, send)

    def _incomplete(self, size: int, complete: bool) -> Response | None:
        if size > HTTP_BODY_BYTES:
            return JSONResponse({"error": f"At most {HTTP_BODY_BYTES} bytes."}, status_code=413)
        if not complete:
            message = f"The request was not complete after {self._seconds:.0f} seconds."
            return JSONResponse({"error": message}, 408, headers={"Connection": "close"})
        return None


def _invalid(scope: Scope, body: bytes) -> Response | None:
    if scope["path"] in _MESSAGE_PATHS:
        try:
            parse_message(body)
        except InvalidMessageError as error:
            return _rpc_error(error)
    return None


def _wrong_version(request: Request) -> Response | None:
    version = unsupported_version(request)
    if version is None:
        return None
    supported = ", ".join(KNOWN_PROTOCOL_VERSIONS)
    message = f"MCP-Protocol-Version {version[:40]!r} is not supported. Supported: {supported}."
    return _rpc_error(InvalidMessageError(UNSUPPORTED_PROTOCOL_VERSION, message))


def _rpc_error(error: InvalidMessageError) -> Response:
    text = error.answer.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(text, status_code=400, media_type="application/json")


def _once(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives *body* first and then the remaining messages."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


def _security(settings: Settings) -> TransportSecuritySettings:
    named = (settings.mcp_host, *settings.mcp_allowed_hosts)
    ours = (_bracket_host(normalize_host(name)) for name in named if not _is_wildcard(name))
    hosts = [*_LOOPBACK, *ours]
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
    if normalize_host(host) == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    return host in ("0.0.0.0", "::", "*")


def _bracket_host(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
