"""
A copy of the vectors in an external service, for other programs.

1. It follows the same logs as the index, from a position stored in the database, and is rebuilt if
   the two do not match: another store, model or address, or a log that was pruned beyond the
   position. 2. The current vector is sent, not the one at the time of the log entry; later changes
   are in the log. So no transaction is open while sending, sending is idempotent, and the position
   advances after everything up to it has been sent. 3. Failures are recorded and retried. They do
   not affect writes and searches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

import numpy as np

from ...clock import format_timestamp
from ...errors import UnavailableError
from ...model.search.mirrors import MirrorState, MirrorStatus
from ...storage.database import Database
from ...storage.search import mirrors
from ...storage.search.mirrors import Record, Source
from ...storage.search.vector_log import ENTRIES, PIECES, Standing, VectorLog
from ..backends.protocol import Ids
from .services import MirrorService, Vector

# Both services accept more; a hundred long vectors are about 2 MB of JSON.
BATCH = 100

SOURCES: Mapping[Source, VectorLog] = {"pieces": PIECES, "entries": ENTRIES}


class VectorMirror:
    """A copy of the vectors in one service."""

    def __init__(
        self,
        db: Database,
        service: MirrorService,
        *,
        name: str,
        address: str,
        namespace: str,
        with_text: bool = False,
    ) -> None:
        self.name = name
        self._db = db
        self._service = service
        self._address = address
        self._namespace = namespace
        self._with_text = with_text

    def catch_up(self, going: Callable[[], bool] = lambda: True) -> int:
        """
        Send all changes since the last call; return how many, or raise UnavailableError.

        *going* is called between batches; False stops.
        """
        return sum(self._follow(source, going) for source in SOURCES)

    def rebuild(self) -> int:
        """Empty the copy and send everything; return how many vectors."""
        with self._db.note() as connection:
            mirrors.forget(connection, self.name)
        return self.catch_up()

    def status(self) -> list[MirrorStatus]:
        found = []
        with self._db.read() as connection:
            for source, vectors in SOURCES.items():
                now = vectors.standing(connection)
                record = mirrors.record(connection, self.name, source)
                status = _status(self.name, source, now=now, record=self._fitting(record, now))
                failure = record.failure if record else ""
                found.append(status.model_copy(update={"failure": failure}))
        return found

    def _follow(self, source: Source, going: Callable[[], bool]) -> int:
        now, known = self._standing(source)
        if not now.model or not going():
            return 0
        try:
            record = self._fitting(known, now) or self._begin(source, now)
            sent = 0
            if record.built_to is not None:
                record, sent = self._rebuild(source, record, going)
            if record.built_to is None:
                sent += self._apply_log(source, record, going)
            return sent
        except UnavailableError as error:
            self._note_failure(source, now, str(error))
            raise

    def _standing(self, source: Source) -> tuple[Standing, Record | None]:
        with self._db.read() as connection:
            now = SOURCES[source].standing(connection)
            return now, mirrors.record(connection, self.name, source)

    def _fitting(self, record: Record | None, now: Standing) -> Record | None:
        """Return *record* if the log leads from it to *now*, else None."""
        if record is None or not now.floor <= record.position <= now.position:
            return None
        known = (record.uuid, record.model, record.address)
        return record if known == (now.uuid, now.model, self._address) else None

    def _begin(self, source: Source, now: Standing) -> Record:
        self._service.empty(self._space(source))
        record = Record(
            address=self._address,
            uuid=now.uuid,
            model=now.model,
            position=now.position,
            built_to=-1,
            updated_at="",
        )
        return self._save_record(source, record)

    def _rebuild(
        self, source: Source, record: Record, going: Callable[[], bool]
    ) -> tuple[Record, int]:
        """Send every vector in order of id, resuming a previous attempt."""
        sent = 0
        with self._db.read() as connection:
            blocks = SOURCES[source].all_vectors(connection, record.model)
            ids = np.sort(_join_ids([block.ids for block in blocks])).astype(np.int64)
        for batch in _batches(ids[ids > (record.built_to or 0)].astype(np.uint64)):
            if not going():
                return record, sent
            sent += self._send(source, record.model, batch)
            record = self._save_record(source, replace(record, built_to=int(batch[-1]), failure=""))
        return self._save_record(source, replace(record, built_to=None, failure="")), sent

    def _apply_log(self, source: Source, record: Record, going: Callable[[], bool]) -> int:
        with self._db.read() as connection:
            now = SOURCES[source].standing(connection)
            blocks = SOURCES[source].log_since(connection, record.model, seq=record.position)
            ids = _join_ids([part for block in blocks for part in (block.ids, block.gone)])
        if now.position == record.position and not record.failure:
            return 0
        sent = 0
        for batch in _batches(np.sort(ids)):
            if not going():
                return sent
            sent += self._send(source, record.model, batch)
        self._save_record(source, replace(record, position=now.position, failure=""))
        return sent

    def _send(self, source: Source, model: str, ids: Ids) -> int:
        """
        Send the current vectors of these ids; ids without a vector are removed from the service.
        """
        with self._db.read() as connection:
            found = SOURCES[source].vectors_of(connection, model, ids)
            said = mirrors.texts_of(connection, source, found.ids) if self._with_text else {}
        rows = zip(found.ids.tolist(), found.matrix.tolist(), strict=True)
        vectors = [Vector(str(id), numbers, said.get(id, {})) for id, numbers in rows]
        gone = [str(id) for id in np.setdiff1d(ids, found.ids).tolist()]
        if vectors:
            self._service.put(self._space(source), vectors)
        if gone:
            self._service.drop(self._space(source), gone)
        return len(vectors) + len(gone)

    def _note_failure(self, source: Source, now: Standing, failure: str) -> None:
        # Position -1 is below every floor, so the next attempt rebuilds the mirror.
        unknown = Record(self._address, now.uuid, now.model, -1, -1, self._now())
        with self._db.note() as connection:
            record = self._fitting(mirrors.record(connection, self.name, source), now) or unknown
            failed = replace(record, failure=failure)
            mirrors.save(connection, self.name, source, record=failed)

    def _save_record(self, source: Source, record: Record) -> Record:
        record = replace(record, updated_at=self._now())
        with self._db.note() as connection:
            mirrors.save(connection, self.name, source, record=record)
        return record

    def _space(self, source: Source) -> str:
        return f"{self._namespace}-{source}"

    def _now(self) -> str:
        return format_timestamp(self._db.clock())


def _status(name: str, source: Source, *, now: Standing, record: Record | None) -> MirrorStatus:
    state: MirrorState = "level"
    behind = now.indexed if record is None else now.position - record.position
    if record is None:
        state = "new" if behind else "level"
    elif record.built_to is not None:
        state, behind = "building", now.indexed
    elif behind:
        state = "behind"
    at = datetime.fromisoformat(record.updated_at) if record else None
    return MirrorStatus(name=name, source=source, state=state, behind=behind, updated_at=at)


def _join_ids(parts: list[Ids]) -> Ids:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.uint64)


def _batches(ids: Ids) -> Iterator[Ids]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
