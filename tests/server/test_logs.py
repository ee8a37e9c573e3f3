from __future__ import annotations

import logging
import sys

import pytest

from memory_core import Settings
from memory_core.server.logs import OneLine, log_for, log_to


@pytest.fixture(autouse=True)
def restored_logging():
    """The root logger is shared by all tests: give it back as it was."""
    root, sdk = logging.getLogger(), logging.getLogger("mcp")
    before = (root.handlers[:], root.level, sdk.level)
    root.handlers[:] = []
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:], root.level, sdk.level = before


def formatted(message, *arguments, failed=None):
    record = logging.LogRecord("n", logging.INFO, "f.py", 1, message, arguments, failed)
    return OneLine("%(message)s").format(record)


def test_newlines_in_messages_cannot_forge_log_lines():
    assert r"name a\r\nINFO all is well" == formatted("name %s", "a\r\nINFO all is well")


def test_text_of_any_script_stays_readable():
    assert r"Café 部署 \x1b[31m" == formatted("Café 部署 \x1b[31m")


def test_tracebacks_are_logged_without_values():
    try:
        try:
            {}["private"]
        except KeyError as error:
            raise ValueError("PRIVATE") from error
    except ValueError:
        text = formatted("it failed", failed=sys.exc_info())

    assert "test_logs.py:" in text and "ValueError from KeyError" in text
    assert "PRIVATE" not in text and "'private'" not in text


def test_the_log_rotates_in_the_data_directory(tmp_path):
    log_for(Settings(memory_data_dir=tmp_path))

    handler = logging.getLogger().handlers[-1]
    assert str(tmp_path / "server.log") == handler.baseFilename
    assert (2_000_000, 3) == (handler.maxBytes, handler.backupCount)


def test_unwritable_log_location_only_disables_the_file(tmp_path, capsys):
    (tmp_path / "file").write_text("")

    log_for(Settings(memory_data_dir=tmp_path / "file"))

    assert "there is no log file" in capsys.readouterr().err


def test_only_warnings_reach_stderr(tmp_path, capsys):
    log_to(tmp_path / "server.log", level="INFO")

    logging.getLogger("memory_core").info("quiet")
    logging.getLogger("memory_core").warning("loud")

    reported = capsys.readouterr().err
    assert ("loud" in reported, "quiet" in reported) == (True, False)
    assert "quiet" in (tmp_path / "server.log").read_text(encoding="utf-8")
