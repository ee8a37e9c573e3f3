"""Redaction of secrets in the log lines of a program that does not use server.log."""

from __future__ import annotations

import logging
from typing import Any

from .rules.secrets import redact_text


def redact_log_records() -> None:
    """Redact every log record of this process from now on, with the text of its exception."""
    create = logging.getLogRecordFactory()
    if getattr(create, "redacts", False):
        return

    def create_redacted(*arguments: Any, **options: Any) -> logging.LogRecord:
        record = create(*arguments, **options)
        record.msg, record.args = redact_text(record.getMessage())[0], ()
        if record.exc_info:
            # Formatters use this text if it is there.
            record.exc_text = redact_text(logging.Formatter().formatException(record.exc_info))[0]
        return record

    create_redacted.redacts = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(create_redacted)
