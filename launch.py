"""One command to the dashboard and one to the tests, for a machine that has only Python.

    python3 launch.py                   make .venv, install, serve http://localhost:8501
    python3 launch.py --port 8600       the same on another port
    python3 launch.py --gpu             with PyTorch's GPU build (remembered in .venv)
    python3 launch.py test [arguments]  install the test requirements, run every test

Line coverage doubles the time of the tests, so it is only measured on request:
`python3 launch.py test --cov=memory_core --cov=dashboard`.

Standard library only, and older Pythons must be able to read this file far enough to be refused.

1. The environment is `.venv` next to this file; it is created again when its Python does not work.
2. `.venv/launcher.json` records which requirement files are installed, by a digest of their text
   and of the dependencies in pyproject.toml, to which they point. It is written last and emptied
   first, so an interrupted installation is repeated.
3. PyTorch is installed only where a requirement file names the extra `torch` or an extra that
   includes it, and as the CPU build. Where pip itself would take that build, pip decides alone;
   where it would pull CUDA, the CPU build is installed first from PyTorch's own index.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PACKAGE = "turbovec-mcp"
DASHBOARD = "requirements-dashboard.txt"
TESTS = "requirements-dev.txt"
PORT = 8501
MCP_URL = "http://localhost:4392/mcp"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
# Two workers on any machine: the tests of a file share expensive fixtures.
SIDE_BY_SIDE = ("-n", "2", "--dist", "loadfile")
# Without it pytest deselects what is slow; a later -m on the command line takes precedence.
EVERY_TEST = ("-m", "")

_OLDEST_PYTHON = (3, 11)
_GPU_PACKAGES = ("nvidia-", "cuda-", "triton", "pytorch-triton")
_PROGRESS = ("Downloading ", "Installing collected packages", "Successfully installed")
_TAIL = 15  # lines of a failed command that are shown again
_PROBE = (
    "import pip, sys; assert sys.version_info >= (3, 11); print('%d.%d' % sys.version_info[:2])"
)


class LaunchError(Exception):
    """An error that ends the launcher; its text states the problem and the fix."""


@dataclass(frozen=True)
class Project:
    """A checkout and the Python that makes its environment."""

    root: Path
    base_python: str = sys.executable

    @property
    def environment(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> str:
        """The environment's interpreter; never resolved, a resolved link leaves the environment."""
        parts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
        return str(self.environment.joinpath(*parts))

    @property
    def stamp_file(self) -> Path:
        return self.environment / "launcher.json"


@dataclass(frozen=True)
class Stamp:
    """What a finished installation left behind: the PyTorch build, a digest for each file."""

    torch: str = "cpu"
    installed: Mapping[str, str] = field(default_factory=dict)


def main(arguments: Sequence[str], project: Project) -> int:
    refusal = python_refusal(sys.version_info[:2])
    if refusal:
        print(refusal, file=sys.stderr)
        return 1
    try:
        if arguments[:1] == ["test"]:
            return run_tests(project, arguments[1:])
        return run_dashboard(project, _options(arguments))
    except LaunchError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next run goes on from here.", file=sys.stderr)
        return 130


def python_refusal(version: tuple[int, ...]) -> str:
    """Return why this Python cannot be used, or nothing."""
    if version >= _OLDEST_PYTHON:
        return ""
    found = ".".join(map(str, version))
    return (
        f"This is Python {found} ({sys.executable}); Python 3.11 or newer is needed. "
        "Install one and run this command with it, for example: python3.11 launch.py"
    )


def run_dashboard(project: Project, options: argparse.Namespace) -> int:
    refuse_busy_port(options.port)
    install(project, DASHBOARD, gpu=options.gpu)
    _say(welcome(project, options.port))
    return _exec(project, streamlit_command(project, options.port))


def run_tests(project: Project, arguments: Sequence[str]) -> int:
    install(project, TESTS, gpu=False)
    return _exec(project, pytest_command(project, arguments))


def streamlit_command(project: Project, port: int) -> list[str]:
    app = str(Path("dashboard", "app.py"))
    return [project.python, "-m", "streamlit", "run", app, "--server.port", str(port)]


def pytest_command(project: Project, arguments: Sequence[str]) -> list[str]:
    return [project.python, "-m", "pytest", *SIDE_BY_SIDE, *EVERY_TEST, *arguments]


def welcome(project: Project, port: int) -> str:
    """Say where the dashboard is and what an MCP client needs to know."""
    server = {"command": project.python, "args": [str(project.root / "main.py")]}
    configuration = json.dumps({"mcpServers": {"turbovec": server}}, indent=2)
    return (
        f"\nDashboard         http://localhost:{port}   (Ctrl-C stops it)\n"
        f"MCP over HTTP     {MCP_URL}\n"
        f"MCP over stdio    in your client's configuration:\n\n{configuration}\n"
    )


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="launch.py",
        description="Install what is missing and serve the dashboard.",
        epilog="launch.py test [pytest arguments] runs the test suite instead.",
    )
    parser.add_argument("--port", type=_port, default=PORT, help=f"default {PORT}")
    parser.add_argument("--gpu", action="store_true", help="install PyTorch's GPU build")
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return port


def _exec(project: Project, command: list[str]) -> int:
    """Hand over to the command: its signals and exit code are then the launcher's own."""
    sys.stdout.flush()
    os.chdir(project.root)  # `-m` puts the working directory on sys.path: memory_core is found
    if os.name != "nt":
        os.execv(command[0], command)
    # Windows has no exec. Its consoles send Ctrl-C to the child too: only wait for it.
    with subprocess.Popen(command) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue


# Installing


def install(project: Project, requirements: str, *, gpu: bool) -> None:
    """Bring the environment level with a requirement file and those it includes."""
    version = _environment_version(project)
    if not version:
        version = make_environment(project)
    stamp = read_stamp(project)
    torch = "gpu" if gpu else stamp.torch
    wanted = digests(project, requirements, version=version)
    if torch == stamp.torch and wanted.items() <= stamp.installed.items():
        return
    write_stamp(project, Stamp(torch=stamp.torch))
    requirement = torch_requirement(project, requirements)
    if requirement:
        _prepare_torch(project, requirement, torch, previous=stamp.torch)
    _say(f"Installing {requirements} (the first time takes a few minutes)")
    _pip(project, "install", "-r", str(project.root / requirements))
    kept = stamp.installed if torch == stamp.torch else {}
    write_stamp(project, Stamp(torch=torch, installed={**kept, **wanted}))


def make_environment(project: Project) -> str:
    """Create `.venv` from scratch and return its Python's version."""
    again = " again, its Python does not work" if project.environment.exists() else ""
    _say(f"Making {project.environment}{again}")
    _watch(environment_command(project), failure=f"{project.environment} could not be made.")
    version = _environment_version(project)
    if not version:
        raise LaunchError(
            f"{project.environment} was made, but its Python has no pip. On Debian and Ubuntu "
            "install the package python3-venv, then run this command again."
        )
    return version


def environment_command(project: Project) -> list[str]:
    # A recent pip reads a wheel's metadata without fetching the wheel: asking which PyTorch
    # it would take then costs seconds, not gigabytes.
    options = ("--clear", "--upgrade-deps")
    return [project.base_python, "-m", "venv", *options, str(project.environment)]


def digests(project: Project, requirements: str, *, version: str) -> dict[str, str]:
    """Map the file and every file it includes to a digest of all that decides what it installs."""
    package = json.dumps(_package_tables(project), sort_keys=True)
    return {
        name: hashlib.sha256(f"{version}\n{package}\n{text}".encode()).hexdigest()
        for name, text in _requirement_files(project, requirements)
    }


def read_stamp(project: Project) -> Stamp:
    """Return the record of the last installation; an unreadable one counts as none."""
    try:
        record = json.loads(project.stamp_file.read_text(encoding="utf-8"))
        return Stamp(torch=str(record["torch"]), installed=dict(record["installed"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Stamp()


def write_stamp(project: Project, stamp: Stamp) -> None:
    record = json.dumps({"torch": stamp.torch, "installed": dict(stamp.installed)}, indent=2)
    draft = project.stamp_file.with_name(f"{project.stamp_file.name}.{secrets.token_hex(4)}.draft")
    with draft.open("x", encoding="utf-8") as file:
        file.write(record + "\n")
    draft.replace(project.stamp_file)


def _environment_version(project: Project) -> str:
    """Return "3.11" when the environment has a working Python with pip of the version it says."""
    try:
        probe = subprocess.run([project.python, "-c", _PROBE], capture_output=True, text=True)
        home = (project.environment / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return ""
    version = probe.stdout.strip()
    # A system upgrade changes the interpreter behind the link, and the packages stay behind.
    is_as_made = any(
        line.startswith("version") and line.partition("=")[2].strip().startswith(f"{version}.")
        for line in home.splitlines()
    )
    return version if probe.returncode == 0 and is_as_made else ""


def _package_tables(project: Project) -> dict[str, Any]:
    """Return the tables of pyproject.toml that decide what is built and installed."""
    import tomllib  # not in the Pythons that only read this file far enough to be refused

    try:
        tables = tomllib.loads((project.root / "pyproject.toml").read_text(encoding="utf-8"))
        return {
            "project": tables["project"],
            "build-system": tables.get("build-system"),
            "hatch": tables.get("tool", {}).get("hatch"),
        }
    except (OSError, ValueError, KeyError) as error:
        raise LaunchError(f"pyproject.toml cannot be used ({error}); restore the file.") from error


def _requirement_files(project: Project, name: str) -> Iterator[tuple[str, str]]:
    text = (project.root / name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("-r "):
            yield from _requirement_files(project, line[3:].strip())
    yield name, text


# PyTorch


def _prepare_torch(project: Project, requirement: str, torch: str, *, previous: str) -> None:
    if torch == "gpu":
        if previous == "cpu":  # a CPU build satisfies the same requirement and would stay
            _pip(project, "uninstall", "--yes", "torch")
        return
    _say("Asking pip which PyTorch it would install")
    if pulls_gpu_build(_resolution(project, requirement)):
        index = os.environ.get("TORCH_INDEX_URL") or CPU_INDEX
        _say("Installing PyTorch's CPU build")
        _pip(project, *cpu_torch_arguments(requirement, index))


def torch_requirement(project: Project, requirements: str) -> str:
    """Return the requirement that bounds PyTorch, or nothing if *requirements* asks for none."""
    extras = _package_tables(project)["project"].get("optional-dependencies", {})
    pending = [
        name
        for _, text in _requirement_files(project, requirements)
        for name in _extras_named(text)
    ]
    seen: set[str] = set()
    while pending:
        extra = pending.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for requirement in extras.get(extra, ()):
            if re.match(r"torch(?![\w-])", requirement):
                return str(requirement)
            pending += _extras_named(requirement)
    return ""


def _extras_named(text: str) -> list[str]:
    """Return the extras of this package in requirements such as `-e .[torch]` or `name[torch]`."""
    named = re.findall(rf"^(?:-e +\.|{PACKAGE})\[([^\]]*)\]", text, re.MULTILINE)
    return [extra.strip() for each in named for extra in each.split(",")]


def pulls_gpu_build(report: str) -> bool:
    """Tell from pip's installation report whether it chose a GPU build of PyTorch."""
    for item in json.loads(report)["install"]:
        name = item["metadata"]["name"].lower()
        local = item["metadata"]["version"].partition("+")[2]
        if name.startswith(_GPU_PACKAGES) or (name == "torch" and local not in ("", "cpu")):
            return True
    return False


def cpu_torch_arguments(requirement: str, index: str) -> list[str]:
    # PyTorch alone: its own requirements come from the usual index with all the others.
    return ["install", "--no-deps", "--index-url", index, requirement]


def _resolution(project: Project, requirement: str) -> str:
    """Ask pip what it would install on an empty environment; nothing is installed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        question = ("install", "--dry-run", "--ignore-installed", "--report", str(report))
        _pip(project, *question, requirement, shows_progress=False)
        return report.read_text(encoding="utf-8")


def _pip(project: Project, *arguments: str, shows_progress: bool = True) -> None:
    verb, *rest = arguments
    options = ["--disable-pip-version-check", "--no-input"]
    bar = ["--progress-bar", "off"] if verb == "install" else []
    command = [project.python, "-m", "pip", *options, verb, *bar, *rest]
    failure = (
        f"pip {verb} failed; its last lines are above. Nothing is lost: once the cause is "
        "gone, run the same command again. (TORCH_INDEX_URL names another index for PyTorch.)"
    )
    # pip takes `-e .` in a requirement file from the working directory, not from the file's own.
    _watch(command, failure=failure, shows_progress=shows_progress, cwd=project.root)


def _watch(
    command: Sequence[str],
    *,
    failure: str,
    shows_progress: bool = True,
    cwd: Path | None = None,
) -> None:
    """Run a command, show its milestones, and its last lines if it fails."""
    lines: list[str] = []
    with subprocess.Popen(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            if shows_progress and line.lstrip().startswith(_PROGRESS):
                _say("  " + _shorten(line.strip()))
    if process.returncode:
        raise LaunchError("\n".join([*lines[-_TAIL:], "", failure]))


def _shorten(line: str, *, width: int = 100) -> str:
    return line if len(line) <= width else line[: width - 3] + "..."


def _say(line: str) -> None:
    print(line, flush=True)


# The port


def refuse_busy_port(port: int) -> None:
    """Raise LaunchError, naming who listens, when the dashboard could not have this port."""
    if not _answers(port):
        return
    other = port + 100 if port + 100 <= 65535 else port - 100
    raise LaunchError(
        f"Port {port} is in use{_listener(port)}. If it is this dashboard, it is already at "
        f"http://localhost:{port}; otherwise choose another port: "
        f"python3 launch.py --port {other}"
    )


def _answers(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        return client.connect_ex(("127.0.0.1", port)) == 0


def _listener(port: int) -> str:
    """Describe who listens, as far as the system's own tools tell."""
    for command in (
        ["lsof", "-nP", f"-iTCP:{port}", "-sTCP:LISTEN"],
        ["ss", "-ltnp"],
        ["netstat", "-ano", "-p", "TCP"],
    ):
        if not shutil.which(command[0]):
            continue
        output = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
        for line in output.splitlines():
            if f":{port} " in line and "LISTEN" in line:
                return f" ({' '.join(line.split())})"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Project(root=Path(__file__).absolute().parent)))
