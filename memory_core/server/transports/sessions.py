"""A limit on MCP sessions over HTTP: the idlest one makes room for the next."""

from __future__ import annotations

from collections import Counter, OrderedDict

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...rules.limits import HTTP_SESSIONS

_HEADER = "mcp-session-id"


class BoundedSessions:
    """
    End the session that has been idle longest when a client opens one above the limit.

    Sessions with a request in progress, an open event stream included, are never ended.
    """

    def __init__(self, app: ASGIApp, most: int = HTTP_SESSIONS) -> None:
        self._app = app
        self._most = most
        # The least recently used first.
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self._in_progress: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/mcp":
            await self._app(scope, receive, send)
            return
        session = Headers(scope=scope).get(_HEADER)
        if session is None:
            await self._make_room(scope)
            await self._app(scope, receive, self._recording(send))
        elif session in self._sessions:
            await self._continue(session, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _continue(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._in_progress[session] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._in_progress[session] -= 1
            if not self._in_progress[session]:
                del self._in_progress[session]
            if session in self._sessions:
                self._sessions.move_to_end(session)

    def _recording(self, send: Send) -> Send:
        async def record(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                session = Headers(raw=list(message.get("headers", ()))).get(_HEADER)
                if session is not None:
                    self._sessions[session] = None
            await send(message)

        return record

    async def _make_room(self, scope: Scope) -> None:
        while len(self._sessions) >= self._most:
            idlest = next((each for each in self._sessions if each not in self._in_progress), None)
            if idlest is None:
                return
            del self._sessions[idlest]
            await self._end(idlest, scope)

    async def _end(self, session: str, scope: Scope) -> None:
        """End *session* the way its client does."""
        host = Headers(scope=scope).get("host", "")
        headers = [(b"host", host.encode("latin-1")), (_HEADER.encode(), session.encode("latin-1"))]

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            return None

        await self._app({**scope, "method": "DELETE", "headers": headers}, receive, send)
