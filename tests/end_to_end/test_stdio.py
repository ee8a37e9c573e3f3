"""A real server process, spoken to as an editor does: one JSON message a line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE

from .stdio_process import MAIN, StdioProcess, environment

STAND_INS = str(Path(__file__).with_name("stand_in_main.py"))
HEAVY = "torch transformers sentence_transformers sklearn pandas onnxruntime networkx turbovec"

ECHO = '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":%s}}'

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")


@pytest.fixture(scope="module")
def echoing(tmp_path_factory):
    """One server of the stand-in tools for all tests that only ask it something."""
    with StdioProcess(tmp_path_factory.mktemp("echoing"), STAND_INS) as stdio:
        stdio.greet()
        yield stdio


def test_handshake_succeeds_and_lists_the_tools(tmp_path):
    with StdioProcess(tmp_path) as stdio:
        hello = stdio.greet()["result"]
        tools = stdio.ask("tools/list")["result"]["tools"]

    assert ("turbovec-mcp", "2025-06-18") == (hello["serverInfo"]["name"], hello["protocolVersion"])
    assert "create_entity" in {tool["name"] for tool in tools}


def test_the_handshake_imports_nothing_heavy(tmp_path):
    script = (
        f"import sys; sys.path.insert(0, {str(MAIN.parent)!r})\n"
        "import anyio, memory_core as m; from memory_core.server.app import build_server\n"
        "settings = m.Settings.load(); memory = m.open_memory(settings)\n"
        "server = build_server(memory, settings); anyio.run(server.list_tools)\n"
        f"sys.stdout.write(' '.join(x for x in {HEAVY!r}.split() if x in sys.modules))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment(tmp_path), capture_output=True, check=True
    )

    assert b"" == ran.stdout


def test_call_dependencies_are_preloaded_after_the_handshake(tmp_path):
    script = (
        f"import sys; sys.path.insert(0, {str(MAIN.parent)!r})\n"
        "import anyio, memory_core as m; from memory_core.server.app import build_server\n"
        "from memory_core.server.app import load_all\n"
        "from memory_core.server.calls.catalogue import catalogue, function_of\n"
        "memory = m.open_memory(settings := m.Settings.load())\n"
        "server = build_server(memory, settings); anyio.run(server.list_tools)\n"
        "before = set(sys.modules); load_all(); loaded = set(sys.modules)\n"
        "[function_of(reported) for reported in catalogue()]\n"
        "[getattr(memory, name) for name in dir(memory) if name[0] != '_']; memory.close()\n"
        "late = sorted(x for x in set(sys.modules) - loaded if 'memory_core' in x)\n"
        "services = [x for x in before if x.startswith('memory_core.services.')]\n"
        "print('numpy' in before, 'memory_core.server.tools' in before, services, late)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], env=environment(tmp_path), capture_output=True, check=True
    )

    assert "False False [] []" == ran.stdout.decode().strip()


def test_a_print_never_reaches_the_protocol(tmp_path):
    with StdioProcess(tmp_path, STAND_INS) as stdio:
        stdio.greet()
        result = stdio.ask("tools/call", name="shout", arguments={})["result"]
        out, err = stdio.end()

    assert "printed" == result["structuredContent"]["text"]
    assert (b"", True) == (out, b"stray" in err)


@pytest.mark.parametrize(
    ("escaped", "arrives"),
    [
        (r"half \ud83d pair", "half \ufffd pair"),
        (r"\udc00\ud800", "\ufffd\ufffd"),
        (r"whole \ud83d\ude42 pair", "whole 🙂 pair"),
        (r"written \\ud83d out", r"written \ud83d out"),
        (r"{\"x\": 1}", '{"x": 1}'),
    ],
)
def test_any_text_round_trips_over_stdio(echoing, escaped, arrives):
    echoing.write(ECHO % f'{{"text":"{escaped}"}}')
    result = echoing.answer()["result"]

    assert arrives == result["structuredContent"]["text"]


@pytest.mark.parametrize(
    "line",
    ["{not json}", "[]", "null", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "\x00", "[" * 9999,
     '{"jsonrpc":"2.0","id":null,"method":"ping"}', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
     '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', '{"id":3,"method":"ping"}'],
)  # fmt: skip
def test_an_invalid_line_is_answered_and_the_session_goes_on(echoing, line):
    echoing.write(line)
    refused = echoing.answer()
    echoing.write(ECHO % '{"text":"after"}')

    assert refused["error"]["code"] in (-32700, -32600, -32602)
    assert "after" == echoing.answer()["result"]["structuredContent"]["text"]


def test_blank_lines_and_carriage_returns_are_no_messages(echoing):
    echoing.write("\n  \r\n\ufeff" + ECHO % '{"text":"after"}' + "\r")

    assert "after" == echoing.answer()["result"]["structuredContent"]["text"]


def test_an_infinite_number_is_refused(echoing):
    echoing.write(ECHO % '{"text":"t","properties":{"n":[NaN]}}')
    result = echoing.answer()["result"]

    assert "a number must be finite" in result["content"][0]["text"]


def test_the_server_ends_with_its_stdin(tmp_path):
    with StdioProcess(tmp_path) as stdio:
        stdio.greet()
        out, err = stdio.end()

    assert (0, b"", b"") == (stdio.process.returncode, out, err)


def test_pending_requests_are_answered_before_exit(tmp_path):
    with StdioProcess(tmp_path, STAND_INS) as stdio:
        stdio.greet()
        call = {"name": "echo", "arguments": {"text": "last"}}
        stdio.write(json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}))
        out, _ = stdio.end()

    assert "last" == json.loads(out)["result"]["structuredContent"]["text"]


@posix
def test_the_server_ends_when_its_parent_dies(tmp_path):
    starter = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(600)"
    with StdioProcess(tmp_path, "-c", starter, sys.executable, str(MAIN)) as stdio:
        stdio.greet()
        stdio.process.kill()

        assert b"" == stdio.process.stdout.read()
        assert not stdio.gave_up


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_server_exits_on_terminate_signal(tmp_path, number):
    with StdioProcess(tmp_path) as stdio:
        stdio.greet()
        stdio.process.send_signal(number)

        assert 0 == stdio.process.wait(timeout=PATIENCE)


def test_invalid_settings_print_one_clear_message(tmp_path):
    with StdioProcess(tmp_path, FUSION="blendd", MCP_PORT="many") as stdio:
        out, err = stdio.process.communicate(timeout=PATIENCE)

    assert (1, b"") == (stdio.process.returncode, out)
    assert err.startswith(b"2 settings cannot be used:") and b"Traceback" not in err


def test_a_missing_database_folder_is_one_clear_message(tmp_path):
    with StdioProcess(tmp_path, SQLITE_DB_FILE=str(tmp_path / "gone" / "memory.db")) as stdio:
        out, err = stdio.process.communicate(timeout=PATIENCE)

    assert (1, b"") == (stdio.process.returncode, out)
    assert b"gone" in err and b"Traceback" not in err
    assert not (tmp_path / "gone").exists()


def test_log_contains_no_memory_text_or_forged_lines(tmp_path):
    with StdioProcess(tmp_path, STAND_INS) as stdio:
        stdio.greet()
        stdio.ask("tools/call", name="echo", arguments={"text": "PRIVATE", "count": "PRIVATE"})
        stdio.ask("tools/call", name="crash", arguments={})
        stdio.ask("tools/call", name="PRIVATE\nforged", arguments={})
        _, err = stdio.end()
    log = (tmp_path / "server.log").read_text(encoding="utf-8")

    assert "crash failed" in log
    for reported in (log, err.decode()):
        assert (
            "PRIVATE" not in reported
            and "secret detail" not in reported
            and "forged" not in reported
        )
