"""No test talks to another machine: whoever tries is refused, and the test that did fails."""

from __future__ import annotations

import ipaddress
import socket
import sys
from typing import Any

# What was tried since a test began; each test must leave it empty.
TRIED: list[str] = []

_WATCHED = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")
_OURS = ("", "localhost", "0.0.0.0", "::", socket.gethostname())
_installed = False


def install() -> None:
    """Watch every socket of this process, whichever library opens it; it cannot be undone."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_watch)


def _watch(event: str, details: tuple[Any, ...]) -> None:
    if event not in _WATCHED:
        return
    host = _host_of(event, details)
    if not is_here(host):
        TRIED.append(f"{event} {host}")
        # As without a network: the program under test may well live with it.
        raise PermissionError(f"tests do not talk to other machines: {host}")


def _host_of(event: str, details: tuple[Any, ...]) -> object:
    if event in ("socket.connect", "socket.sendto"):
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
