from __future__ import annotations

import gzip
import socket
import threading

import pytest
from local_provider import Answer, provider
from support import PATIENCE

from memory_core.errors import EmbeddingError
from memory_core.search.endpoint import ATTEMPTS, LARGEST, Endpoint

SECRET = "sk-very-secret"


def endpoint(address, waits=None, *, timeout=60.0, may_be_remote=False):
    return Endpoint(
        address,
        named="test/model",
        failure=EmbeddingError,
        headers={"authorization": f"Bearer {SECRET}"},
        timeout=timeout,
        may_be_remote=may_be_remote,
        allowed_by="ALLOW_REMOTE",
        way_out="Try later.",
        sleep=[].append if waits is None else waits.append,
    )


def failure_of(*answers, waits=None, timeout=60.0):
    with provider(*answers) as server, pytest.raises(EmbeddingError) as caught:
        endpoint(server.address, waits, timeout=timeout).post("/ask", {"text": "a private word"})
    said = str(caught.value)
    assert said.startswith("test/model ") and said.endswith(" Try later.")
    assert SECRET not in said and "private" not in said
    return said, len(server.asked)


def test_requests_send_the_key_in_a_header():
    with provider(Answer({"ok": True})) as server:
        answer = endpoint(server.address + "/v1").post("/ask", {"text": "Tee \u2615"})
    (asked,) = server.asked

    assert {"ok": True} == answer
    assert ("/v1/ask", {"text": "Tee \u2615"}) == (asked.path, asked.body)
    assert f"Bearer {SECRET}" == asked.headers["authorization"]


def test_all_localhost_addresses_are_accepted():
    with provider(Answer({"ok": True})) as server:
        address = server.address.replace("127.0.0.1", "localhost")

        assert {"ok": True} == endpoint(address).post("/", {})
    assert server.asked[0].headers["host"].startswith("localhost:")


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_overloaded_servers_are_retried(status):
    waits = []
    said, asked = failure_of(Answer({"error": {"type": "overloaded"}}, status), waits=waits)

    assert (ATTEMPTS, [0.5, 1.0]) == (asked, waits)
    assert "too many requests" in said if status == 429 else f"{status} (overloaded)" in said


def test_successful_retry_returns_the_response():
    waits = []
    with provider(Answer(status=503), Answer({"ok": 1})) as server:
        answer = endpoint(server.address, waits).post("/", {})

    assert ({"ok": 1}, [0.5]) == (answer, waits)


def test_short_retry_after_is_honored():
    seconds, date, long = [], [], []
    failure_of(Answer(status=429, headers={"retry-after": "7"}), waits=seconds)
    failure_of(
        Answer(status=429, headers={"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}), waits=date
    )
    _, asked = failure_of(Answer(status=429, headers={"retry-after": "3600"}), waits=long)

    assert ([7.0, 7.0], [0.0, 0.0]) == (seconds, date)
    assert ([], 1) == (long, asked)


def test_retry_beyond_the_deadline_is_not_attempted():
    waits = []
    failure_of(Answer(status=429, headers={"retry-after": "20"}), waits=waits, timeout=10)

    assert [] == waits


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (Answer({"error": {"message": "Wrong key sk-very-secret"}}, 401), "did not accept the key"),
        (Answer(status=403), "did not accept the key"),
        (Answer(status=404), "does not know this address or this model"),
        (Answer({"error": {"code": "context_length", "message": "a private word"}}, 400), "400 (c"),
        (Answer(b"<html>", 400), "status 400"),
        (Answer(b"<html>a private word</html>"), "not JSON"),
        (Answer(gzip.compress(b'{"a": 1}'), headers={"content-encoding": "gzip"}), "not JSON"),
        (Answer(b"[" * 100_000), "not JSON"),
        (Answer([1, 2]), "not an object"),
        (Answer(b'{"a": ', length=1_000), "broke off the connection"),
        (Answer(b"x" * (LARGEST + 1)), "more than 16,000,000 bytes"),
    ],
)
def test_invalid_response_error_omits_its_content(answer, complaint):
    said, asked = failure_of(answer)

    assert (True, 1) == (complaint in said, asked)


def test_a_redirect_is_not_followed():
    with provider(Answer({"ok": 1})) as other:
        moved = Answer(status=307, headers={"location": f"{other.address}/ask"})
        said, _ = failure_of(moved)

    assert ("not followed" in said, []) == (True, other.asked)


def test_unresponsive_servers_time_out():
    waits, asked, release = [], threading.Event(), threading.Event()

    def silent(_):
        asked.set()
        return Answer({}, after=release)

    try:
        with provider(silent) as server:
            with pytest.raises(EmbeddingError, match=r"did not answer within 0\.5 seconds"):
                endpoint(server.address, waits, timeout=0.5).post("/", {})
            assert asked.wait(PATIENCE)
    finally:
        release.set()

    assert ([], 1) == (waits, len(server.asked))


def test_rejected_requests_are_retried_in_plain_form():
    with provider(Answer(status=400), Answer({"ok": 1})) as server:
        endpoint(server.address).post("/", {"new": 1}, plainer={"old": 1})

    assert [{"new": 1}, {"old": 1}] == [asked.body for asked in server.asked]


def test_refused_connections_are_reported():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(EmbeddingError, match="test/model cannot be reached"):
            endpoint(f"http://127.0.0.1:{port}").post("/", {})


@pytest.mark.parametrize("host", ["192.0.2.7", "[2001:db8::7]", "0.0.0.0", "[::ffff:192.0.2.7]"])
def test_an_address_of_another_machine_is_refused(host):
    with pytest.raises(EmbeddingError, match="not on this machine; ALLOW_REMOTE=true"):
        endpoint(f"http://{host}:1").post("/", {})


@pytest.mark.parametrize("found", [["192.0.2.7"], ["127.0.0.1", "192.0.2.7"]])
def test_hostname_resolving_to_another_machine_is_rejected(monkeypatch, found):
    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in found]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)

    with pytest.raises(EmbeddingError, match="is at localhost, not on this machine"):
        endpoint("http://localhost:1").post("/", {})


def test_unresolvable_hostname_is_reported(monkeypatch):
    def fail_lookup(*_, **__):
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail_lookup)

    with pytest.raises(EmbeddingError, match="no address is known by that name"):
        endpoint("http://llama.invalid").post("/", {})


def test_a_proxy_of_the_environment_is_not_used(monkeypatch):
    with provider(Answer({"ok": 1})) as server, provider(Answer({"ok": 2})) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.address)

        assert {"ok": 1} == endpoint(server.address, may_be_remote=True).post("/", {})
