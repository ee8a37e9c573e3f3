"""A server started as an editor starts it: how soon it shakes hands and answers, what it takes."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

if sys.platform != "win32":
    import resource

MAIN = Path(__file__).parent.parent / "main.py"

# Set on some machines that build and test, and seldom where an editor runs.
_COMPILES_ANEW = "PYTHONDONTWRITEBYTECODE"

_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


def cold_start(database: Path, query: str) -> dict[str, float]:
    """Return seconds to each answer from the start of the process, its CPU and its peak RSS."""
    environment = _environment(database, SQLITE_DB_FILE=str(database), run_mode="stdio")
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, str(MAIN)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=database.parent,
    ) as server:
        took = _talk(server, query, started)
        took.update(_used_resources(server.pid))
        server.communicate(timeout=60)
    return took


def command_start(database: Path) -> dict[str, float]:
    """Return CPU seconds of Python alone, of the SDK and of two commands, as seconds and ratios."""
    commands = {
        "python": ["-c", "pass"],
        "import_mcp": ["-c", "import mcp"],
        "cli_help": [str(MAIN), "cli", "--help"],
        "cli_list": [str(MAIN), "cli", "list", "--db", str(database)],
    }
    environment = _environment(database)
    took = {name: _processor_seconds(words, environment) for name, words in commands.items()}
    ratios = {f"{name}_ratio": took[name] / took["python"] for name in list(took)[1:]}
    return {**{f"{name}_cpu_s": seconds for name, seconds in took.items()}, **ratios}


def _environment(database: Path, **more: str) -> dict[str, str]:
    """Return what an editor's process has: with it, only the first start compiles the source."""
    ours = {name: value for name, value in os.environ.items() if name != _COMPILES_ANEW}
    return {**ours, "MEMORY_DATA_DIR": str(database.parent), **more}


def _processor_seconds(arguments: Sequence[str], environment: Mapping[str, str]) -> float:
    before = _of_children()
    command = [sys.executable, *arguments]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return max(_of_children() - before, 0.001)


def _of_children() -> float:
    if sys.platform == "win32":
        times = os.times()
        return times.children_user + times.children_system
    # Finer than os.times(), whose tick is as long as Python alone takes.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def middle(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the median of each figure of several starts."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def _used_resources(pid: int) -> dict[str, float]:
    """Return peak RSS in MB and CPU seconds so far, where the system tells of a living process."""
    process = Path("/proc") / str(pid)
    if not process.exists():
        return {}
    # After an exec, rusage still counts what the parent had: only this is the server's own.
    peak = re.search(r"VmHWM:\s+(\d+) kB", (process / "status").read_text())
    clocks = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
    return {
        "peak_rss_mb": int(peak.group(1)) / 1024 if peak else 0.0,
        "cpu_s": sum(map(int, clocks)) / os.sysconf("SC_CLK_TCK"),
    }


def _talk(server: subprocess.Popen[bytes], query: str, started: float) -> dict[str, float]:
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("The server was started without pipes.")
    took: dict[str, float] = {}

    def ask(number: int, method: str, arguments: Mapping[str, Any]) -> Any:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": arguments}
        _send(server.stdin, request)
        return _answer(server.stdout, number)

    ask(1, "initialize", _HELLO)
    took["initialize_s"] = time.perf_counter() - started
    took["initialize_cpu_s"] = _used_resources(server.pid).get("cpu_s", 0.0)
    _send(server.stdin, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    ask(2, "tools/list", {})
    took["tools_list_s"] = time.perf_counter() - started
    number = 3
    channels: list[str] = []
    search = {"name": "search_memory", "arguments": {"query": query, "project_id": "*"}}
    while "vector" not in channels:
        answer = ask(number, "tools/call", search)
        took.setdefault("first_answer_s", time.perf_counter() - started)
        channels = _structured_content(answer)["channels"]
        number += 1
        if number > 500:
            raise RuntimeError("The vector channel never came up.")
        if "vector" not in channels:
            time.sleep(0.02)
    took["first_answer_with_vectors_s"] = time.perf_counter() - started
    return took


def _structured_content(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    result = answer.get("result", {})
    if "structuredContent" not in result:
        raise RuntimeError(f"The server answered {json.dumps(answer)[:500]}")
    content: Mapping[str, Any] = result["structuredContent"]
    return content


def _send(pipe: IO[bytes] | None, message: Mapping[str, Any]) -> None:
    if pipe is not None:
        pipe.write(json.dumps(message).encode() + b"\n")
        pipe.flush()


def _answer(pipe: IO[bytes] | None, number: int) -> Any:
    """Return the answer to request *number*; what the server says unasked is passed over."""
    while pipe is not None and (line := pipe.readline()):
        message = json.loads(line)
        if message.get("id") == number:
            return message
    raise RuntimeError("The server ended before it answered.")
