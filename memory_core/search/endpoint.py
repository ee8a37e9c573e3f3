"""
JSON client for a model provider's HTTP API.

1. Unless remote hosts are allowed, the host must resolve only to addresses of this machine, and the
   checked address is the one connected to. 2. Redirects are not followed, and proxies of the
   environment are not used: a text is sent to the configured address only. 3. One deadline covers
   all attempts; responses are bounded in size. 4. Keys are sent in headers only. Errors contain
   neither keys nor the content of requests or responses.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, NoReturn

from pydantic import JsonValue

from ..clock import utc_now
from ..errors import UnavailableError
from ..model.base import Properties

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 3
# A vector of 3,072 numbers is about 60 kB of JSON; a hundred of them stay below this.
LARGEST = 16_000_000
# Longer Retry-After values are treated as a failure.
LONGEST_WAIT = 30.0
_FIRST_WAIT = 0.5
_CONNECT = 10.0

_OVERLOADED = (408, 429, 500, 502, 503, 504, 529)
_REFUSED_BODY = (400, 422)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,40}")


@dataclass(frozen=True)
class _Answer:
    status: int
    content: bytes
    retry_after: str = ""


class Endpoint:
    """An HTTP API that receives JSON. Every failure is raised as the given error class."""

    def __init__(
        self,
        base_url: str,
        *,
        named: str,
        failure: type[UnavailableError],
        headers: Mapping[str, str],
        timeout: float,
        may_be_remote: bool,
        allowed_by: str,
        way_out: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """
        Errors call the endpoint *named* and end with the hint *way_out*; *timeout* covers all
        attempts.

        Unless *may_be_remote*, only this machine is contacted; *allowed_by* is the setting that
        would allow other hosts.
        """
        self._base_url = base_url
        self._named = named
        self._failure = failure
        self._headers = {**headers, "accept-encoding": "identity"}
        self._timeout = timeout
        self._may_be_remote = may_be_remote
        self._allowed_by = allowed_by
        self._way_out = way_out
        self._sleep = sleep

    def post(
        self,
        path: str,
        body: JsonValue,
        *,
        plainer: Properties | None = None,
        absent_is_fine: bool = False,
    ) -> Properties:
        """
        Send *body* and return the response; retry with *plainer* if the server rejects that form.

        Overload is retried within the deadline. With *absent_is_fine*, a 404 response counts as an
        empty one.
        """
        deadline = time.monotonic() + self._timeout
        answer = self._send_request(path, body, deadline)
        if answer.status in _REFUSED_BODY and plainer is not None:
            answer = self._send_request(path, plainer, deadline)
        if answer.status == 404 and absent_is_fine:
            return {}
        if answer.status != 200:
            self._fail(self._complaint(answer))
        try:
            read = json.loads(answer.content)
        except (ValueError, RecursionError):
            self._fail("answered with something that is not JSON")
        if not isinstance(read, dict):
            self._fail("answered with JSON that is not an object")
        return read

    def _send_request(self, path: str, body: JsonValue, deadline: float) -> _Answer:
        content = json.dumps(body).encode()
        for attempt in range(ATTEMPTS):
            answer = self._attempt(path, content, deadline)
            wait = _wait(answer, attempt)
            last = attempt == ATTEMPTS - 1 or wait > LONGEST_WAIT
            if answer.status not in _OVERLOADED or last or time.monotonic() + wait > deadline:
                break
            self._sleep(wait)
        return answer

    def _attempt(self, path: str, content: bytes, deadline: float) -> _Answer:
        # Slow to import, and not needed with a local model.
        import httpx

        left = max(deadline - time.monotonic(), 0.001)
        limits = httpx.Timeout(left, connect=min(left, _CONNECT))
        try:
            with httpx.Client(
                timeout=limits, trust_env=False, follow_redirects=False, verify=_ssl_context()
            ) as client:
                return self._first_reached(client, path, content, deadline)
        except httpx.TimeoutException:
            self._fail(f"did not answer within {self._timeout:g} seconds")
        except httpx.ConnectError:
            self._fail("cannot be reached")
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            self._fail(f"broke off the connection ({type(error).__name__})")

    def _first_reached(
        self, client: httpx.Client, path: str, content: bytes, deadline: float
    ) -> _Answer:
        """
        Send the request to the first address that accepts the connection: localhost may have two.
        """
        import httpx

        *others, last = self._requests(client, path, content)
        for request in others:
            with suppress(httpx.ConnectError):
                return self._exchange(client, request, deadline)
        return self._exchange(client, last, deadline)

    def _requests(self, client: httpx.Client, path: str, content: bytes) -> Iterator[httpx.Request]:
        request = client.build_request(
            "POST",
            f"{self._base_url}{path}",
            content=content,
            headers={**self._headers, "content-type": "application/json"},
        )
        if self._may_be_remote:
            yield request
            return
        name = request.url.host
        for address in self._own_addresses(name):
            # The host name is still used for the header and, with TLS, to verify the certificate.
            yield client.build_request(
                "POST",
                request.url.copy_with(host=address),
                content=content,
                headers=request.headers,
                extensions={**request.extensions, "sni_hostname": name},
            )

    def _own_addresses(self, host: str) -> list[str]:
        """Return the addresses of *host*; raise an error unless all of them are of this machine."""
        try:
            found = {str(ipaddress.ip_address(host))}
        except ValueError:
            found = self._looked_up(host)
        if not all(ipaddress.ip_address(address).is_loopback for address in found):
            self._fail(f"is at {host}, not on this machine; {self._allowed_by}=true allows that")
        return sorted(found)

    def _looked_up(self, host: str) -> set[str]:
        try:
            rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except OSError:
            self._fail("cannot be found: no address is known by that name")
        return {str(row[4][0]).partition("%")[0] for row in rows}

    def _exchange(self, client: httpx.Client, request: httpx.Request, deadline: float) -> _Answer:
        response = client.send(request, stream=True)
        try:
            content = bytearray()
            for part in response.iter_raw():
                content += part
                if len(content) > LARGEST:
                    self._fail(f"answered with more than {LARGEST:,} bytes")
                # The client's timeouts apply to a single read; a slow response could take hours.
                if time.monotonic() > deadline:
                    self._fail(f"did not finish within {self._timeout:g} seconds")
        finally:
            response.close()
        return _Answer(
            response.status_code, bytes(content), response.headers.get("retry-after", "")
        )

    def _complaint(self, answer: _Answer) -> str:
        status = f" (status {answer.status})"
        if answer.status in (401, 403):
            return f"did not accept the key{status}"
        if answer.status == 404:
            return f"does not know this address or this model{status}"
        if answer.status == 429:
            return f"reports too many requests or an exhausted quota{status}"
        if 300 <= answer.status < 400:
            return f"redirects to another address, which is not followed{status}"
        return f"answered with status {answer.status}{_reason(answer.content)}"

    def _fail(self, what: str) -> NoReturn:
        way_out = f" {self._way_out}" if self._way_out else ""
        raise self._failure(f"{self._named} {what}.{way_out}")


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the default TLS context, cached: loading it is slower than a local request."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


def _wait(answer: _Answer, attempt: int) -> float:
    """Return the seconds to wait: Retry-After, else exponential backoff."""
    asked = answer.retry_after.strip()
    with suppress(ValueError, TypeError, OverflowError):
        if asked.isdecimal():
            return float(asked)
        if asked:
            return max(0.0, (parsedate_to_datetime(asked) - utc_now()).total_seconds())
    return _FIRST_WAIT * float(2**attempt)


def _reason(content: bytes) -> str:
    """Return the error code of a response; its message may quote the request."""
    with suppress(ValueError, RecursionError):
        read = json.loads(content)
        error = read.get("error") if isinstance(read, dict) else None
        if isinstance(error, dict):
            for name in ("code", "type", "status"):
                word = error.get(name)
                if isinstance(word, str) and _WORD.fullmatch(word):
                    return f" ({word})"
    return ""
