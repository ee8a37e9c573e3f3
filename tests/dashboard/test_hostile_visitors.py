from __future__ import annotations

import os
import re
import subprocess
import sys
import threading

import pytest
from architecture.source import ROOT
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from support import PATIENCE, HashingEmbedder
from websockets.exceptions import InvalidStatus

from memory_core import open_memory
from tests.browser.running import free_port, start, wait_for
from tests.dashboard.visitor import asked, visitor

pytestmark = pytest.mark.process

MARK = "zqharbour"
PASSWORD = "open sesame"
LOCKED = "This memory is locked"
# Streamlit compares what is sent with what the cookie says, and both are the visitor's own.
TOKEN = "2|00000000|" + 32 * "a" + "|0"
WITH_TOKEN = {"X_Xsrftoken": TOKEN, "Cookie": f"_streamlit_xsrf={TOKEN}"}


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Where a dashboard is that asks for a password, over a memory in which everything is MARK."""
    folder = tmp_path_factory.mktemp("locked")
    memory = open_memory(path=folder / "memory.db", embedder=HashingEmbedder())
    memory.graph.create_entity(MARK, "location", project_id=MARK, observations=[f"{MARK} is deep"])
    memory.close()
    with pytest.MonkeyPatch.context() as patched, (folder / "log").open("wb") as log:
        patched.setenv("DASHBOARD_PASSWORD", PASSWORD)
        patched.setenv("DASHBOARD_STARTS_SERVER", "false")
        patched.setenv("STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL", "1")
        patched.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "localhost 127.0.0.1 box.lan")
        port = free_port()
        process = start(folder, port, log=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.fixture(scope="module")
def shell(port):
    """The page without anything in it, as everyone gets it: Streamlit's own program."""
    return asked(port, "/")[2]


def titles(visited):
    return [each.body for each in visited.elements("heading")]


def test_before_the_password_no_page_shows_anything(port):
    with visitor(port) as stranger:
        stranger.run()
        pages = stranger.pages()
        seen = [str(stranger.run(page=each)) for each in pages]
        stranger.give(PASSWORD)
        shown = [str(stranger.run(page=each)) for each in pages[:2]]

    assert 15 == len(pages)
    assert [] == [said for said in seen if MARK in said or LOCKED not in said]
    assert [] == [said for said in shown if MARK not in said or LOCKED in said]


@pytest.mark.parametrize(
    "claim",
    [
        WidgetState(id="admitted", bool_value=True),
        WidgetState(id="admitted", string_value="yes"),
        WidgetState(id="$$ID-0-admitted", bool_value=True),
        WidgetState(id="$$ID-0-admitted", json_value="true"),
    ],
)
def test_nobody_is_in_because_he_says_so(port, claim):
    with visitor(port) as stranger:
        stranger.run()
        said = str(stranger.run(claim))
        stranger.run()

        assert [LOCKED] == titles(stranger)
    assert MARK not in said


def test_a_wrong_password_is_one(port):
    with visitor(port) as stranger:
        stranger.run()
        stranger.give("open barley")
        refused = titles(stranger)
        stranger.give(PASSWORD)

        assert [LOCKED] == refused
        assert LOCKED not in titles(stranger)


def test_nobody_empties_what_all_share(port):
    with visitor(port) as inside:
        inside.run()
        inside.give(PASSWORD)
        inside.say(BackMsg(clear_cache=True))
        inside.run()

        assert LOCKED not in titles(inside)


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("evil.example", None, 403),
        ("evil.example", "http://evil.example", 403),
        ("localhost", "http://evil.example", 403),
        ("localhost", "http://localhost.evil.example", 403),
        ("localhost", "null", 403),
    ],
)
def test_a_foreign_page_gets_no_socket(port, host, origin, status):
    with pytest.raises(InvalidStatus) as refused, visitor(port, host=host, origin=origin):
        pass

    assert status == refused.value.response.status_code


@pytest.mark.parametrize(
    "path", ["/", "/search", "/_stcore/health", "/_stcore/host-config", "/x.js"]
)
def test_a_foreign_page_gets_no_answer_either(port, path):
    rebound = asked(port, path, Host="evil.example")
    foreign = asked(port, path, Origin="http://evil.example")
    nameless = asked(port, path, Origin="null")
    other_port = asked(port, path, Host="localhost:8501", Origin="http://localhost:3000")
    ours = asked(port, path, Host="[::1]:8501", Origin="http://[::1]:8501")

    answers = (rebound, foreign, nameless, other_port, ours)
    assert [421, 403, 403, 403, 200] == [each[0] for each in answers]
    assert b"server.allowedHosts" in rebound[2]


def test_a_name_that_is_given_is_one_of_ours(port):
    ours, foreign = (
        asked(port, "/", Host=f"{name}:{port}")[0] for name in ("box.lan", "x.box.lan")
    )
    with visitor(port, host="box.lan", origin=f"http://box.lan:{port}") as guest:
        guest.run()

        assert [LOCKED] == titles(guest)
    assert (200, 421) == (ours, foreign)


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/media/none.png", "/component/x"])
def test_no_page_of_another_origin_can_frame_or_embed_it(port, path):
    headers = asked(port, path)[1]

    assert "DENY" == headers["x-frame-options"]
    assert "frame-ancestors 'none'" == headers["content-security-policy"]
    assert "same-origin" == headers["cross-origin-resource-policy"]
    assert "nosniff" == headers["x-content-type-options"]


def test_no_other_origin_may_steer_it(port):
    assert b'"allowedOrigins":[]' in asked(port, "/_stcore/host-config")[2]


@pytest.mark.parametrize("up", ["../", "%2e%2e/", "..%2f", "..%5c", "%2e%2e%5c", "..\\", "....//"])
@pytest.mark.parametrize(
    "under",
    ["/", "/static/", "/app/static/", "/media/", "/component/x/", "/_stcore/bidi-components/x/"],
)
def test_no_path_leads_to_a_file_of_ours(port, shell, under, up):
    wanted = ["pages.py", "dashboard/pages.py", "etc/passwd", ".streamlit/config.toml"]
    answers = [asked(port, under + up * n + each) for each in wanted for n in (1, 6)]

    assert [] == [each for each in answers if each[0] == 200 and each[2] != shell]
    assert {200, 400, 404} >= {each[0] for each in answers}


@pytest.mark.parametrize("path", ["//evil.example/x", "/media/", "/component/", "/app/static/"])
def test_nothing_is_listed_and_nobody_is_led_away(port, shell, path):
    status, headers, body = asked(port, path)

    assert status in (400, 404) or body == shell or headers["location"] == path.rstrip("/")


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics?families=x"])
def test_nobody_is_told_how_many_are_in(port, path):
    assert 404 == asked(port, path)[0]


def test_nobody_drives_the_pages_without_a_browser(port):
    asks = {"method": "POST", "body": b"{}", "Content_Type": "application/json"}
    answers = [asked(port, f"/_stcore/agent/{name}", **asks) for name in ("interact", "mcp")]

    assert [403, 400] == [each[0] for each in answers]
    assert all(b"not_available" in each[2] for each in answers)


def test_a_file_goes_with_the_session_it_was_made_for(port):
    with visitor(port) as inside:
        inside.run()
        graph = inside.pages()[1]
        inside.give(PASSWORD)
        inside.run(page=graph)
        address = inside.download(inside.elements("download_button")[0].deferred_file_id)
        fetched = asked(port, address)[2]

    assert MARK.encode() in fetched
    assert re.fullmatch(r"/media/[0-9a-f]{32,}\.html", address)
    for _ in range(PATIENCE):
        # Sessions that are over are cleared away when another comes.
        with visitor(port) as stranger:
            stranger.run()
        if asked(port, address)[0] == 404:
            return
        threading.Event().wait(1)
    pytest.fail("It can still be fetched.")


def upload(port, session, **headers):
    body = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\n'
        b"some text\r\n--x--\r\n"
    )
    kind = {"Content_Type": "multipart/form-data; boundary=x"}
    path = f"/_stcore/upload_file/{session}/some-file"
    return asked(port, path, method="PUT", body=body, **kind, **headers)[0]


def test_nobody_uploads_before_the_password(port):
    with visitor(port) as stranger:
        stranger.run()
        session = stranger.session()
        before = upload(port, session, **WITH_TOKEN)
        stranger.give(PASSWORD)
        after = upload(port, session, **WITH_TOKEN)

    assert (403, 204) == (before, after)


def test_an_upload_needs_a_session_and_a_token(port):
    with visitor(port) as inside:
        inside.run()
        session = inside.session()
        inside.give(PASSWORD)
        refused = [
            upload(port, session),
            upload(port, session, X_Xsrftoken=TOKEN),
            upload(port, session, **WITH_TOKEN, Origin="http://evil.example"),
            upload(port, session, **WITH_TOKEN, Host="evil.example"),
            upload(port, "no-such-session", **WITH_TOKEN),
        ]
        large = upload(port, session, **WITH_TOKEN, Content_Length=str(2**40))

    assert [403, 403, 403, 421, 403] == refused
    assert 413 == large


def test_started_in_another_folder_it_has_no_other_names(tmp_path):
    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", str(ROOT / "dashboard" / "app.py")),
                *("--server.address", "127.0.0.1", "--server.port", str(port)),
                *("--server.headless", "true", "--browser.gatherUsageStats", "false"),
            ],
            cwd=tmp_path,
            env=os.environ | {"MEMORY_DATA_DIR": str(tmp_path), "DASHBOARD_STARTS_SERVER": "false"},
            stdout=log,
            stderr=log,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            rebound, ours = asked(port, "/", Host="evil.example")[0], asked(port, "/")[0]
            with pytest.raises(InvalidStatus), visitor(port, host="evil.example"):
                pass
        finally:
            process.terminate()
            process.wait(PATIENCE)

    assert (421, 200) == (rebound, ours)
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")
