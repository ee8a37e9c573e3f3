"""ASGI middleware that checks requests before Streamlit's server reads them.

Streamlit looks at the name it was called by at its web socket alone, tells every browser that it
may be framed, and takes from any visitor what concerns all. Here each request and each message is
checked, with or without a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

# No page of another origin may show the pages in a frame of its own and have them clicked on, or
# take in what they load; a link that leads away does not tell what was searched for.
HEADERS = (
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)

# What reaches beyond the visitor's own session: it empties the caches of all, the count of the
# passwords that were tried among them, reads the repository, writes into the folder of the app.
BEYOND = frozenset(("clear_cache", "load_git_info", "install_skills", "dismiss_skills_nudge"))

# Public, and not needed by any page.
UNASKED = "/_stcore/metrics"
UPLOAD = "/_stcore/upload_file/"
# What a web socket is closed with over who asked for it.
POLICY = 1008

_PORTS = {"http": 80, "https": 443}

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+?)\.?)(?::\d{1,5})?")


class Gate:
    """Refuse what comes under a foreign name, from a foreign page, or from before the password."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str],
        origins: Iterable[str] = (),
        admitted: Callable[[str], bool],
    ) -> None:
        self._app = app
        self._hosts = tuple(hosts)
        self._origins = frozenset(origins)
        self._admitted = admitted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if scope["type"] == "http":
            await (refusal or self._app)(scope, receive, guard_send(send))
        elif refusal:
            await send({"type": "websocket.close", "code": POLICY})
        else:
            await self._app(scope, _own(receive), send)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers, path = Headers(scope=scope), scope["path"]
        origin = headers.get("origin")
        if not is_among(headers.get("host", ""), self._hosts):
            way_out = "Name it in --server.allowedHosts if it is yours."
            return PlainTextResponse(f"This host is not among server.allowedHosts. {way_out}", 421)
        if origin is not None and not self._is_ours(origin, headers.get("host", "")):
            return PlainTextResponse("A page from elsewhere may not ask.", 403)
        if path.endswith(UNASKED):
            return PlainTextResponse("There is nothing here.", 404)
        if UPLOAD in path and not self._admitted(path.partition(UPLOAD)[2].partition("/")[0]):
            return PlainTextResponse("Give the password first.", 403)
        return None

    def _is_ours(self, origin: str, host: str) -> bool:
        """Return whether a page of *origin* is the dashboard itself, which was called as *host*."""
        scheme, _, place = origin.lower().partition("://")
        if scheme not in _PORTS:
            return origin in self._origins
        port = _PORTS[scheme]
        is_same = _with_port(place, port) == _with_port(host.lower(), port)
        return (is_same and is_among(place, self._hosts)) or origin in self._origins


def _with_port(host: str, port: int) -> str:
    """Return a host with its port, the default one of the scheme if it has none."""
    return host if re.search(r":\d+$", host) else f"{host}:{port}"


def is_among(host: str, names: Iterable[str]) -> bool:
    """Return whether a host, its port aside, has one of these names; "*.name" is any below one."""
    found = _HOST.fullmatch(host.lower())
    name = (found[1] or found[2]) if found else ""
    return bool(name) and any(
        each in ("*", name) or (each.startswith("*.") and name.endswith(each[1:])) for each in names
    )


def guard_send(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sent


def _own(receive: Receive) -> Receive:
    """Return a receive that leaves out what reaches beyond the visitor's own session."""

    async def received() -> Message:
        while True:
            message = await receive()
            if not _reaches_beyond(message.get("bytes") or b""):
                return message

    return received


def _reaches_beyond(frame: bytes) -> bool:
    said = BackMsg()
    try:
        said.ParseFromString(frame)
    except DecodeError:
        # Streamlit ends the connection over it.
        return False
    asked = said.backend_operation_request.WhichOneof("payload")
    return bool(BEYOND & {said.WhichOneof("type"), asked})
