from __future__ import annotations

import anyio
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from dashboard.asgi_guard import Gate, is_among

OURS = ("localhost", "127.0.0.1", "::1")


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        *((host, True) for host in ("localhost", "localhost:8501", "LOCALHOST.", "localhost.:80")),
        *((host, True) for host in ("127.0.0.1:8501", "[::1]", "[::1]:8501")),
        *((host, False) for host in ("", ":8501", "evil.example", "localhost.evil.example")),
        *((host, False) for host in ("127.0.0.1.evil.example", "localhost:80@evil.example")),
        *((host, False) for host in ("::1", "[::1].evil.example", "localhost:x", "localhost, b")),
        *((host, False) for host in ("localhost/evil.example", "localhost:80\n", "127.0.0.2")),
    ],
)
def test_only_a_whole_name_of_ours_is_ours(host, ours):
    assert ours == is_among(host, OURS)


@pytest.mark.parametrize(
    ("host", "ours"),
    [("a.box.lan", True), ("box.lan", False), ("boxlan", False), ("evilbox.lan", False)],
)
def test_a_name_with_a_star_is_any_below_it(host, ours):
    assert ours == is_among(host, ["*.box.lan"])
    assert is_among(host, ["*"])


def saying(**said):
    return BackMsg(**said).SerializeToString()


def operation(**payload):
    return saying(backend_operation_request=payload)


@pytest.mark.parametrize(
    ("frame", "passes"),
    [
        (saying(rerun_script={}), True),
        (saying(app_heartbeat=True), True),
        (saying(stop_script=True), True),
        (saying(file_urls_request={}), True),
        (operation(deferred_file={}), True),
        (operation(dataframe_chunk={}), True),
        (b"no message of its kind \xff", True),
        (saying(clear_cache=True), False),
        (saying(load_git_info=True), False),
        (operation(install_skills={}), False),
        (operation(dismiss_skills_nudge={}), False),
    ],
)
def test_what_reaches_beyond_a_session_is_not_handed_on(frame, passes):
    last = saying(rerun_script={})
    coming = [{"type": "websocket.receive", "bytes": each} for each in (frame, last)]
    heard = []

    async def app(scope, receive, send):
        while not heard or heard[-1] != last or coming:
            heard.append((await receive())["bytes"])

    async def receive():
        return coming.pop(0)

    async def send(message):
        raise AssertionError(message)

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"localhost")]}
    gate = Gate(app, hosts=OURS, admitted=lambda session: True)
    anyio.run(gate, scope, receive, send)

    assert ([frame] if passes else []) + [last] == heard
