"""A model provider on loopback: a real HTTP server with scripted answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support import PATIENCE


@dataclass
class Asked:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Answer:
    """What is sent back; before writing anything, wait for *after*."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: threading.Event | None = None
    length: int | None = None

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Provider:
    """Return *answers* in order, repeating the last, and record the requests."""

    def __init__(self, answers: list[Answer | Callable[[Asked], Answer]]) -> None:
        self.answers = answers
        self.asked: list[Asked] = []
        self.address = ""

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        chosen = self.answers[min(len(self.asked), len(self.answers)) - 1]
        return chosen if isinstance(chosen, Answer) else chosen(asked)


@contextmanager
def provider(*answers: Answer | Callable[[Asked], Answer]) -> Iterator[Provider]:
    """Serve *answers* at the address of what is yielded, until the block ends."""
    reported = Provider(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.path, headers, json.loads(self.rfile.read(length) or b"null"))
            answer = reported.answer(asked)
            if answer.after is not None:
                answer.after.wait(PATIENCE)
            content = answer.content()
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(answer.length or len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # The client has had enough.

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        reported.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield reported
        finally:
            server.shutdown()
            thread.join()
