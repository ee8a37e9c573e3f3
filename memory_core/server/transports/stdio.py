"""Stdio transport: one JSON message per line."""

from __future__ import annotations

import io
import sys
from typing import Any, BinaryIO

import anyio
from anyio import to_thread
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

from .messages import InvalidMessageError, parse_message, repair_message

# How long questions asked before stdin ended may still take.
LAST_ANSWERS_SECONDS = 10.0


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until stdin ends. Meanwhile a stray print goes to stderr, never into the protocol."""
    anyio.run(_serve, server)


async def _serve(server: MCPServer[Any]) -> None:
    # The SDK has no public way to pass another stdin to its stdio transport.
    lowlevel = server._lowlevel_server
    # Its reader drops what it cannot parse, so only its writer is used.
    nothing = anyio.wrap_file(io.StringIO())
    async with stdio_server(stdin=nothing) as (unused, outgoing), unused:
        open_questions = _OpenQuestions()
        await lowlevel.run(
            _Questions(sys.stdin.buffer, outgoing, open_questions),
            _Answers(outgoing, open_questions),
            lowlevel.create_initialization_options(),
        )


class _OpenQuestions:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._answered = anyio.Event()

    def record_request(self, message: Any) -> None:
        if message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))
        elif getattr(message, "id", None) is not None:
            self._ids.add(message.id)

    def record_answer(self, message: Any) -> None:
        if not hasattr(message, "method"):
            self._settle(message.id)

    async def wait_until_answered(self) -> None:
        """Wait until every question is answered, or for as long as that may take."""
        with anyio.move_on_after(LAST_ANSWERS_SECONDS):
            while self._ids:
                await self._answered.wait()

    def _settle(self, id: Any) -> None:
        self._ids.discard(id)
        self._answered.set()
        self._answered = anyio.Event()


class _Questions:
    """
    The messages of the client, one a line; an invalid one is answered here.

    The end is reported only after all requests are answered.
    """

    def __init__(self, lines: BinaryIO, answers: Any, open_questions: _OpenQuestions) -> None:
        self._lines = lines
        self._answers = answers
        self._open = open_questions

    async def receive(self) -> SessionMessage:
        while line := await to_thread.run_sync(self._lines.readline):
            text = repair_message(line).strip()
            if not text:
                continue
            try:
                message = parse_message(text)
            except InvalidMessageError as error:
                await self._answers.send(SessionMessage(error.answer))
                continue
            if isinstance(message, JSONRPCRequest | JSONRPCNotification):
                self._open.record_request(message)
            return SessionMessage(message)
        await self._open.wait_until_answered()
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        pass

    def __aiter__(self) -> _Questions:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> _Questions:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


class _Answers:
    """What the client is sent; it settles the question that it answers."""

    def __init__(self, inner: Any, open_questions: _OpenQuestions) -> None:
        self._inner = inner
        self._open = open_questions

    async def send(self, item: SessionMessage, /) -> None:
        await self._inner.send(item)
        self._open.record_answer(item.message)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Answers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
