"""A client that speaks raw JSON-RPC over a real server's stdin and stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from support import PATIENCE

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "main.py"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "0"},
}


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Return this process's environment with a data directory of the test's own."""
    return {**os.environ, "MEMORY_DATA_DIR": str(folder), **settings}


class StdioProcess:
    """One server process; every read has an end, because the process is killed at the latest."""

    def __init__(self, folder: Path, *arguments: str, **settings: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(arguments or (str(MAIN),))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(folder, **settings),
            cwd=folder,
            start_new_session=True,
        )
        self.gave_up = False
        self._number = 0
        self._limit = self._begun_limit()

    def __enter__(self) -> StdioProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        self._kill()
        self.process.communicate()

    def say(self, method: str, **parameters: object) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters}))

    def ask(self, method: str, **parameters: object) -> dict:
        """Send a request and return its answer; what comes before it must be protocol too."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self.write(json.dumps(request))
        return self.answer()

    def write(self, line: str) -> None:
        self._limit.cancel()
        self._limit = self._begun_limit()
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        return json.loads(line)

    def greet(self) -> dict:
        hello = self.ask("initialize", **HELLO)
        self.say("notifications/initialized")
        return hello

    def end(self) -> tuple[bytes, bytes]:
        """Close stdin; return what was left on stdout and stderr once the server has ended."""
        return self.process.communicate(timeout=PATIENCE)

    def _begun_limit(self) -> threading.Timer:
        """Kill a server that does not answer, so that its test fails instead of hanging."""
        limit = threading.Timer(PATIENCE, self._give_up)
        limit.start()
        return limit

    def _give_up(self) -> None:
        self.gave_up = True
        self._kill()

    def _kill(self) -> None:
        """Kill the server and its child processes."""
        if sys.platform == "win32":
            self.process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
