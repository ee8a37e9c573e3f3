"""Entry point of the image: start one of the two services with its secret.

    entrypoint.py dashboard         serve the pages on port 8501 of every address
    entrypoint.py server            serve MCP over HTTP on port 4392 of every address
    entrypoint.py check SERVICE     exit with 0 if the service answers, with 1 if not

Inside a container a service has to listen on every address, so each asks for a secret. One that
is not given (MCP_TOKEN, DASHBOARD_PASSWORD) is made on the first start and kept in the volume, in
the folder ``secrets``, for its owner alone. Standard library only.
"""

from __future__ import annotations

import os
import secrets
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

APP = Path(__file__).resolve().parents[1]
SHORTEST = 8


@dataclass(frozen=True)
class Service:
    """One of the two: what it is started with, and where it says that it is well."""

    secret: str
    port: str
    default_port: str
    health: str
    arguments: tuple[str, ...]

    def port_in(self, environment: Mapping[str, str]) -> str:
        return environment.get(self.port) or self.default_port


SERVICES = {
    "server": Service(
        "MCP_TOKEN",
        port="MCP_PORT",
        default_port="4392",
        health="/health",
        arguments=("main.py", "--transport", "http", "--host", "0.0.0.0", "--port"),
    ),
    "dashboard": Service(
        "DASHBOARD_PASSWORD",
        port="DASHBOARD_PORT",
        default_port="8501",
        health="/_stcore/health",
        arguments=(
            *("-m", "streamlit", "run", "dashboard/app.py"),
            *("--server.address", "0.0.0.0", "--server.port"),
        ),
    ),
}


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    checks = arguments[:1] == ["check"]
    name = arguments[1] if checks and len(arguments) > 1 else "".join(arguments[:1])
    if name not in SERVICES:
        _say(f"usage: entrypoint.py [check] {' | '.join(SERVICES)}")
        return 2
    service = SERVICES[name]
    if checks:
        return 0 if answers(service, environment) else 1
    try:
        prepared = with_secret(service, environment)
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}. Mount a volume that can be written.")
        return 1
    os.chdir(APP)
    command = [sys.executable, *service.arguments, service.port_in(environment)]
    os.execve(command[0], command, prepared)


def with_secret(service: Service, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the service's secret in it, made and kept if it was not given."""
    if environment.get(service.secret, "").strip():
        return dict(environment)
    place = Path(environment["MEMORY_DATA_DIR"], "secrets", service.secret.lower())
    kept = kept_secret(place)
    _say(f"{service.secret} was not given: the one in {place} is asked for.")
    return {**environment, service.secret: kept}


def kept_secret(place: Path) -> str:
    """Return what the file says; of two that make it at once, both get the same."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if place.exists() and len(place.read_text(encoding="ascii").strip()) >= SHORTEST:
        return place.read_text(encoding="ascii").strip()
    draft = place.with_name(f"{place.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # A link, unlike a rename, never replaces what another has made meanwhile.
        os.link(draft, place)
    except FileExistsError:
        if len(place.read_text(encoding="ascii").strip()) < SHORTEST:
            draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
    return place.read_text(encoding="ascii").strip()


def answers(service: Service, environment: Mapping[str, str]) -> bool:
    """Tell whether the service says that it is well; never through a proxy."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        address = f"http://127.0.0.1:{service.port_in(environment)}{service.health}"
        with ask.open(address, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
