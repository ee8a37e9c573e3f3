"""Count the database reads of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import apsw

from memory_core.storage import database


@dataclass
class Reads:
    """What every connection that is opened from now on is asked."""

    statements: int = 0
    # What SQLite did for them, rows that never left it included.
    steps: int = 0
    # Rows that left SQLite, by the statement that gave them.
    rows: Counter[str] = field(default_factory=Counter)
    _running: dict[int, str] = field(default_factory=dict)

    def forget(self) -> None:
        self.statements = self.steps = 0
        self.rows.clear()

    def note(self, event: dict[str, Any]) -> None:
        statement = event["id"]
        if event["code"] == apsw.SQLITE_TRACE_STMT and not event["trigger"]:
            self.statements += 1
            self._running[statement] = " ".join(str(event["sql"]).split())
        elif event["code"] == apsw.SQLITE_TRACE_ROW and statement in self._running:
            self.rows[self._running[statement]] += 1
        elif event["code"] == apsw.SQLITE_TRACE_PROFILE:
            self.steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]


_EVENTS = apsw.SQLITE_TRACE_STMT | apsw.SQLITE_TRACE_ROW | apsw.SQLITE_TRACE_PROFILE


@contextmanager
def counted(monkeypatch) -> Iterator[Reads]:
    """Count what is read through connections that are opened inside."""
    reads, connect = Reads(), database.connect

    def watched(path):
        connection = connect(path)
        connection.trace_v2(_EVENTS, reads.note)
        return connection

    monkeypatch.setattr(database, "connect", watched)
    yield reads
