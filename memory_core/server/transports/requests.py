"""Normalization and refusal of HTTP requests, before anything else reads them."""

from __future__ import annotations

import hmac
import re

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

# The SDK takes anything behind the colon of a known host for its port, a foreign name as well.
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}")

_ABSOLUTE_TARGET = re.compile(r"https?://([^/]*)(.*)", re.IGNORECASE | re.DOTALL)
_TRAILING_DOT = re.compile(rb"\.(?=(?::\d+)?$)")

# Clients differ in the final slash, and not all follow a redirect of a POST.
_SAME_PATH = {"/mcp/": "/mcp", "/sse/": "/sse", "/health/": "/health", "/messages": "/messages/"}


class OursOnly:
    """
    Refuse a foreign Host (421) or Origin (403), so that no web page can reach in.

    Hosts are compared in any letter case, with or without the final dot of a full name.
    """

    def __init__(self, app: ASGIApp, security: TransportSecuritySettings) -> None:
        self._app = app
        self._check = TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = _normalize(scope)
            request = Request(scope)
            refusal = _ambiguous(request) or await self._check.validate_request(request)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class BearerToken:
    """Require the token everywhere but at /health, when one is set."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "authorized": self._is_authorized(scope)}
            if not scope["authorized"] and scope["path"] != "/health":
                refusal = JSONResponse(
                    {"error": "Send the header 'Authorization: Bearer <MCP_TOKEN>'."},
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_authorized(self, scope: Scope) -> bool:
        if not self._token:
            return True
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        # A proxy may have checked the other one of two.
        scheme, _, token = (given[0] if len(given) == 1 else b"").partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


def unsupported_version(request: Request) -> str | None:
    """Return the protocol version that *request* names, if it is not supported."""
    named = request.headers.getlist("mcp-protocol-version")
    return next((each for each in named if each not in KNOWN_PROTOCOL_VERSIONS), None)


def normalize_host(name: str) -> str:
    """Return the name of a host as it is compared."""
    return name.lower().removesuffix(".")


def _normalize(scope: Scope) -> Scope:
    """Return *scope* with origin-form path, and one spelling for each host and path."""
    path: str = scope["path"]
    headers: list[tuple[bytes, bytes]] = []
    for name, value in scope["headers"]:
        if name in (b"host", b"origin"):
            headers.append((name, _TRAILING_DOT.sub(b"", value.lower())))
        # Events are not stored: the stream of a client that returns starts again.
        elif name != b"last-event-id":
            headers.append((name, value))
    if absolute := _ABSOLUTE_TARGET.fullmatch(path):
        path = absolute[2] or "/"
        host = _TRAILING_DOT.sub(b"", absolute[1].lower().encode())
        if (b"host", host) not in headers:
            # It contradicts the Host header, and two are refused.
            headers.append((b"host", host))
    path = _SAME_PATH.get(path, path)
    return {**scope, "path": path, "raw_path": path.encode(), "headers": headers}


def _ambiguous(request: Request) -> JSONResponse | None:
    """Refuse a request that a proxy in front may have read differently."""
    if {"content-length", "transfer-encoding"} <= set(request.headers):
        return JSONResponse(
            {"error": "Send either Content-Length or Transfer-Encoding."},
            status_code=400,
            headers={"Connection": "close"},
        )
    for name, form, status in (("host", _HOST, 421), ("origin", _ORIGIN, 403)):
        given = request.headers.getlist(name)
        if len(given) > 1 or any(value and not form.fullmatch(value) for value in given):
            return JSONResponse({"error": f"Invalid {name.title()} header"}, status)
    return None
