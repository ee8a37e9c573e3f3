"""
The MCP server that the dashboard runs as a child process.

It is a child process that ends with the dashboard. One that serves the same memory already, an
editor's or another dashboard's, is shown and left alone; another program on the port is named.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

STOP_SECONDS = 5.0
ASK_SECONDS = 2.0
# Seconds between two restarts of a child that keeps ending: doubled each time.
FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0
# Status if the answer takes longer than that.
SILENCE = "silence"

State = Literal["running", "starting", "stopped", "elsewhere", "taken", "failed"]


@dataclass(frozen=True)
class Status:
    """
    How the server stands.

    ``elsewhere``: the same memory is served there by a process that is not ours. ``taken``:
    another program, or another memory, has the port. ``failed``: it ended by itself.
    """

    state: State
    url: str
    pid: int = 0
    reason: str = ""

    @property
    def serving(self) -> bool:
        return self.state in ("running", "elsewhere")


class EmbeddedServer:
    """One MCP server over HTTP for one memory; safe to use from several browser sessions."""

    def __init__(
        self,
        database: Path,
        uuid: str,
        *,
        host: str,
        port: int,
        token: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # With a token set, only a request that carries it learns which database is served.
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._database = database
        self._uuid = uuid
        self._host = host
        self.port = port or _free_port(host)
        self._child: subprocess.Popen[bytes] | None = None
        self._complaints: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._clock = clock
        # A child that ends by itself is started again, later after each time.
        self._is_wanted = False
        self._restarts = 0
        self._restart_at = 0.0

    @property
    def url(self) -> str:
        host = "localhost" if self._host in ("127.0.0.1", "0.0.0.0", "::", "::1") else self._host
        return f"http://{host}:{self.port}"

    def start(self) -> Status:
        """Start the child, unless something on the port answers already."""
        with self._lock:
            self._is_wanted, self._restarts, self._restart_at = True, 0, 0.0
            status = self._status()
            if status.state not in ("stopped", "failed"):
                return status
            self._start_child()
            return self._status()

    def stop(self) -> Status:
        """End the child, if there is one; what others started is left alone."""
        with self._lock:
            self._is_wanted = False
            if self._child is not None:
                self._child.terminate()
                try:
                    self._child.wait(STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    self._child.kill()
                    self._child.wait()
                self._child = None
            self._forget_complaints()
            return self._status()

    def status(self) -> Status:
        """Return how the server stands; start a child again that has ended by itself."""
        with self._lock:
            status = self._status()
            if status.state == "running":
                self._restarts = 0
            if status.state != "failed" or not self._is_wanted:
                return status
            if (now := self._clock()) < self._restart_at:
                return status
            self._restarts += 1
            self._restart_at = now + min(FIRST_WAIT * 2 ** (self._restarts - 1), LONGEST_WAIT)
            self._start_child()
            return self._status()

    def command(self) -> list[str]:
        """Return what is run; the interpreter is this one, with all that is installed for it."""
        return [
            *(*server_command(), "--transport", "http"),
            # By number: this process may be killed before the child has come to ask for it.
            *("--with-parent", str(os.getpid())),
            *("--host", self._host, "--port", str(self.port), "--db", str(self._database)),
        ]

    def _start_child(self) -> None:
        self._forget_complaints()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed when forgotten
        self._child = subprocess.Popen(
            self.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
        )

    def _status(self) -> Status:
        ours = self._child is not None and self._child.poll() is None
        pid = self._child.pid if ours and self._child else 0
        answer = self._health()
        if answer == self._uuid:
            return Status("running" if ours else "elsewhere", self.url, pid)
        if ours:
            return Status("starting", self.url, pid)
        if answer is not None:
            return Status("taken", self.url, reason=self._taken_by(answer))
        if self._child is not None:
            return Status("failed", self.url, reason=self._last_words())
        return Status("stopped", self.url)

    def _health(self) -> str | None:
        """
        Return which memory is served on the port; "" if it is no server of ours, SILENCE if it
        did not answer in time, None if the port is closed.
        """
        host = "127.0.0.1" if self._host in ("0.0.0.0", "localhost") else self._host
        address = f"[{host}]" if ":" in host else host
        # Never through a proxy: this is the machine itself.
        ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        url = f"http://{address}:{self.port}/health"
        request = urllib.request.Request(url, headers=self._headers)
        try:
            with ask.open(request, timeout=ASK_SECONDS) as reply:
                return str(json.load(reply).get("database", ""))
        except urllib.error.HTTPError:
            return ""
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                return SILENCE
            return None if isinstance(error.reason, ConnectionRefusedError) else ""
        except TimeoutError:
            return SILENCE
        except (OSError, ValueError, AttributeError):
            return ""

    def _taken_by(self, answer: str) -> str:
        way_out = "set MCP_PORT to a free port and start the dashboard again."
        if answer == SILENCE:
            return (
                f"What listens on port {self.port} did not answer within {ASK_SECONDS:g} seconds. "
                f"It may be busy. If it stays so, stop it, or {way_out}"
            )
        who = "serves another memory" if answer else "is another program"
        return f"What answers on port {self.port} {who}. Stop it, or {way_out}"

    def _last_words(self) -> str:
        if self._complaints is None:
            return ""
        self._complaints.seek(0)
        said = self._complaints.read().decode("utf-8", "replace").strip()
        return said[-1500:] or "The server ended without a word. Its log is server.log."

    def _forget_complaints(self) -> None:
        if self._complaints is not None:
            with contextlib.suppress(OSError):
                self._complaints.close()
        self._complaints = None


def server_command() -> tuple[str, ...]:
    """Return the command that starts the server with this interpreter and its packages."""
    root = Path(__file__).parents[1]
    if (root / "pyproject.toml").is_file():
        return (sys.executable, str(root / "main.py"))
    # Installed: -P, so that no module in the working directory replaces one of ours.
    return (sys.executable, "-P", "-m", "memory_core.server")


def _free_port(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
