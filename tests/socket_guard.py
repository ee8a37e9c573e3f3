"""Fail any test that connects to another machine."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import Any

# What was tried since a test began; each test must leave it empty.
TRIED: list[str] = []

# Where the programs that tests start write what they tried.
LOG = "TESTS_TRIED"

_BY_ADDRESS = ("socket.connect", "socket.sendto", "socket.sendmsg")
_BY_NAME = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_OURS = ("", "localhost", "0.0.0.0", "::", socket.gethostname())
_installed = False


def install() -> None:
    """Watch every socket of this process, whichever library opens it; it cannot be undone."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_watch)


def watch_children(log: Path) -> None:
    """Have each Python that is started from here on watch itself, and tell *log*."""
    folder = str(Path(__file__).parent / "guarded")
    others = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, *others])
    os.environ[LOG] = str(log)


def tried_by_children() -> list[str]:
    """Return, once, what programs tried that were started here."""
    log = Path(os.environ.get(LOG, os.devnull))
    if not log.is_file():
        return []
    lines = log.read_text(encoding="utf-8").splitlines()
    log.unlink()
    return lines


def _watch(event: str, details: tuple[Any, ...]) -> None:
    if event not in _BY_ADDRESS and event not in _BY_NAME:
        return
    host = _host_of(event, details)
    if not is_here(host):
        _note(f"{event} {host}")
        # As without a network: the program under test may well live with it.
        raise PermissionError(f"tests do not talk to other machines: {host}")


def _note(what: str) -> None:
    TRIED.append(what)
    if "pytest" not in sys.modules and LOG in os.environ:
        with open(os.environ[LOG], "a", encoding="utf-8") as log:
            log.write(f"{what}\n")


def _host_of(event: str, details: tuple[Any, ...]) -> object:
    if event in _BY_ADDRESS:
        address = details[1]
        return address[0] if isinstance(address, tuple) else ""
    return details[0]


def is_here(host: object) -> bool:
    """Return whether *host* is this machine, or no host at all."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if not isinstance(host, str) or host in _OURS:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
