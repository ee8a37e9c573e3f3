"""Secrets in log lines of the dashboard's process."""

from __future__ import annotations

import io
import logging

import pytest

from memory_core import redact_log_records

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def lines():
    """The lines of a logger, with the factory of records as it was afterwards."""
    before = logging.getLogRecordFactory()
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    logger = logging.getLogger("test of redaction")
    logger.addHandler(handler)
    logger.propagate = False
    redact_log_records()
    redact_log_records()
    yield logger, out
    logging.setLogRecordFactory(before)
    logger.removeHandler(handler)


def test_messages_arguments_and_exceptions_are_redacted(lines):
    logger, out = lines
    logger.warning("token %s of %d%%", TOKEN, 5)
    try:
        raise ValueError(f"bad token {TOKEN}")
    except ValueError:
        logger.exception("failed")

    assert TOKEN not in out.getvalue()
    assert "of 5%" in out.getvalue()
    assert "ValueError: bad token" in out.getvalue()
