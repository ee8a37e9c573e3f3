"""Servers whose editor or dashboard is gone, however it went."""

from __future__ import annotations

import os
import sys

import pytest
from end_to_end.stdio_process import MAIN, StdioProcess

from dashboard.embedded import EmbeddedServer

HTTP = (str(MAIN), "--transport", "http", "--port", "0")

# Starts a server, does not wait for it, and is gone before that can ask who started it.
HASTY = """
import os, subprocess, sys
subprocess.Popen([*sys.argv[1:], str(os.getpid())], stdin=subprocess.DEVNULL)
os._exit(0)
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")
def test_server_exits_if_its_parent_is_already_gone(tmp_path):
    with StdioProcess(tmp_path, "-c", HASTY, sys.executable, *HTTP, "--with-parent") as stdio:
        # Both pipes end only when the server has ended too.
        out, err = stdio.process.communicate()

        assert b"" == out
        assert b"Traceback" not in err
        assert not stdio.gave_up


def test_dashboard_passes_its_process_id_to_the_server(tmp_path):
    command = EmbeddedServer(tmp_path / "memory.db", "", host="127.0.0.1", port=1).command()

    assert str(os.getpid()) == command[command.index("--with-parent") + 1]
