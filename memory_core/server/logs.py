"""server.log: events and durations, never stored text."""

from __future__ import annotations

import logging
import logging.handlers
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from ..errors import StorageError
from ..rules.secrets import redact_text
from ..settings import Settings

MAX_BYTES = 2_000_000
KEPT_FILES = 3

_LINE = "%(asctime)s.%(msecs)03dZ %(levelname)s %(process)d %(name)s: %(message)s"
_ExcInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]


def log_for(settings: Settings) -> None:
    """Log where *settings* say; a data directory that cannot be written costs the file only."""
    try:
        log_to(settings.log_path(), level=settings.log_level)
    except (OSError, StorageError) as error:
        log_to(None, level=settings.log_level)
        logging.getLogger(__name__).warning("there is no log file: %s", error)


def log_to(path: Path | None, *, level: str) -> None:
    """Send the log to *path* and its warnings to stderr; without a path, to stderr alone."""
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    handlers[0].setLevel(logging.WARNING)
    if path is not None:
        handlers.append(
            _Rotating(path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8")
        )
    for handler in handlers:
        handler.setFormatter(OneLine(_LINE, "%Y-%m-%dT%H:%M:%S"))
    logging.basicConfig(level=level, handlers=handlers, force=True)
    # The SDK's warnings quote what a client sent, and that is memory text.
    logging.getLogger("mcp").setLevel(logging.ERROR)


class OneLine(logging.Formatter):
    """
    Escape line ends, so that no message can forge a line, and redact secrets.

    An exception is shown by type and place, without its message.
    """

    def format(self, record: logging.LogRecord) -> str:
        return redact_text(super().format(record))[0]

    @staticmethod
    def converter(seconds: float | None) -> time.struct_time:
        return time.gmtime(seconds)

    def formatMessage(self, record: logging.LogRecord) -> str:
        return "".join(
            c if c.isprintable() else ascii(c)[1:-1] for c in super().formatMessage(record)
        )

    def formatException(self, ei: _ExcInfo) -> str:
        kind, error, where = ei
        frames = [
            f"  {frame.filename}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(where)
        ]
        names = [kind.__name__ if kind else "?"]
        cause = error.__cause__ or error.__context__ if error else None
        while cause is not None and len(names) < 10:
            names.append(type(cause).__name__)
            cause = cause.__cause__ or cause.__context__
        return "\n".join([*frames, "  " + " from ".join(names)])


class _Rotating(logging.handlers.RotatingFileHandler):
    def doRollover(self) -> None:
        # Another process may hold the file; then this one goes on writing to it.
        with suppress(OSError):
            super().doRollover()
