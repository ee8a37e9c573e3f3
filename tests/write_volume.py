"""Measure how much each write transaction stores."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_core.storage.database import Database

_SINCE = """
select count(*) as rows, coalesce(sum(length(state)), 0) as characters, coalesce(max(seq), 0) as seq
from changes where seq > :seq
"""


@dataclass
class WriteVolume:
    """Rows and characters of every transaction since start(), from the audit log."""

    db: Database
    transactions: list[tuple[int, int]] = field(default_factory=list)
    _seq: int = 0

    def start(self) -> None:
        self._note()
        self.transactions.clear()
        self.db.after_write.append(self._note)

    @property
    def most_rows(self) -> int:
        return max(rows for rows, _ in self.transactions)

    @property
    def most_characters(self) -> int:
        return max(characters for _, characters in self.transactions)

    def _note(self) -> None:
        with self.db.read() as connection:
            row = connection.execute(_SINCE, {"seq": self._seq}).fetchone()
        self._seq = max(self._seq, row["seq"])
        self.transactions.append((row["rows"], row["characters"]))
