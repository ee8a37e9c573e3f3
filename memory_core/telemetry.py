"""
Timings and use counts, written in the background.

A trace is one call with its stages. A trace opened inside another joins it, so that a tool
and its service make one row. A background thread writes the rows: callers never wait for a
lock, and a search never writes on its own thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta

from .clock import format_timestamp
from .context import current_actor
from .errors import MemoryCoreError
from .storage import traces
from .storage.database import Database
from .storage.traces import TraceRow
from .threads import start_thread

logger = logging.getLogger(__name__)

# Maximum queue length. Further rows are dropped, so that callers never wait.
QUEUE = 10_000
# Rows per transaction, and seconds that the first row waits for others.
BATCH = 500
LINGER = 0.25

_Item = TraceRow | tuple[str, list[tuple[str, str]]] | threading.Event


class Trace:
    """A call in progress."""

    def __init__(self, operation: str, project_id: str, query: str) -> None:
        self.operation = operation
        self.project_id = project_id
        self.query = query
        self.stages: dict[str, float] = {}
        self.hits: int | None = None
        self.cached: bool | None = None
        self.channels = ""
        self.started = time.perf_counter()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the duration of the block, in milliseconds, to stage *name*."""
        started = time.perf_counter()
        try:
            yield
        finally:
            took = (time.perf_counter() - started) * 1000
            self.stages[name] = self.stages.get(name, 0.0) + took

    def note(
        self,
        *,
        hits: int | None = None,
        cached: bool | None = None,
        channels: str | None = None,
        query: str | None = None,
        project_id: str | None = None,
    ) -> None:
        """Record properties of the call."""
        self.hits = self.hits if hits is None else hits
        self.cached = self.cached if cached is None else cached
        self.channels = self.channels if channels is None else channels
        self.query = self.query if query is None else query
        self.project_id = self.project_id if project_id is None else project_id

    @property
    def milliseconds(self) -> float:
        return (time.perf_counter() - self.started) * 1000


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


class Telemetry:
    """Collects traces and use counts, and writes them on a background thread."""

    def __init__(self, db: Database, *, keep_queries: bool = True, keep_days: int = 30) -> None:
        self._db = db
        self._keep_queries = keep_queries
        self._keep_days = keep_days
        self._queue: queue.Queue[_Item | None] = queue.Queue(QUEUE)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    @contextmanager
    def trace(self, operation: str, *, project_id: str = "", query: str = "") -> Iterator[Trace]:
        """Time the block as one call. A nested call belongs to the outer one."""
        outer = _current.get()
        if outer is not None:
            outer.note(query=query or None, project_id=project_id or None)
            yield outer
            return
        trace = Trace(operation, project_id, query)
        token = _current.set(trace)
        error = ""
        try:
            yield trace
        except BaseException as problem:
            error = getattr(problem, "code", type(problem).__name__)
            raise
        finally:
            _current.reset(token)
            self._put(self._row(trace, error))

    def count_retrieved(self, rows: Iterable[tuple[str, str]]) -> None:
        """Count one use of each (kind, row id)."""
        used = list(rows)
        if used:
            self._put((format_timestamp(self._db.clock()), used))

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until everything queued so far is written; return False on timeout."""
        if self._thread is None:
            return True
        done = threading.Event()
        self._queue.put(done)
        return done.wait(timeout)

    def close(self, timeout: float = 10.0) -> None:
        """Write the remaining rows and end the thread."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join(timeout)

    def _row(self, trace: Trace, error: str) -> TraceRow:
        return TraceRow(
            at=format_timestamp(self._db.clock()),
            operation=trace.operation,
            actor=current_actor(),
            project_id=trace.project_id,
            milliseconds=round(trace.milliseconds, 3),
            stages={name: round(took, 3) for name, took in trace.stages.items()},
            query=self._shown_query(trace.query),
            hits=trace.hits,
            cached=None if trace.cached is None else int(trace.cached),
            channels=trace.channels,
            error=error,
        )

    def _shown_query(self, query: str) -> str:
        # Redacted before it is cut: half of a secret is not recognised.
        return self._db.without_secrets("query", query)[:1000] if self._keep_queries else ""

    def _put(self, item: _Item) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = start_thread(self._write_loop, name="telemetry")
        try:
            self._queue.put_nowait(item)
        except queue.Full:
            logger.warning("a trace was dropped: %d are waiting to be written", QUEUE)

    def _write_loop(self) -> None:
        is_open = True
        while is_open:
            items, is_open = self._gather()
            self._write(items)

    def _gather(self) -> tuple[list[_Item], bool]:
        """Collect the rows of a short interval, so that they share one commit."""
        items: list[_Item] = []
        until = None
        while len(items) < BATCH:
            wait = None if until is None else max(0.0, until - time.monotonic())
            try:
                item = self._queue.get(timeout=wait)
            except queue.Empty:
                break
            if item is None:
                return items, False
            items.append(item)
            if isinstance(item, threading.Event):
                break
            until = until or time.monotonic() + LINGER
        return items, True

    def _write(self, items: list[_Item]) -> None:
        rows = [item for item in items if isinstance(item, TraceRow)]
        uses = [item for item in items if isinstance(item, tuple)]
        try:
            if rows or uses:
                self._write_rows(rows, uses)
        except MemoryCoreError as error:
            logger.warning("timings could not be written: %s", error)
        finally:
            for item in items:
                if isinstance(item, threading.Event):
                    item.set()

    def _write_rows(
        self, rows: list[TraceRow], uses: list[tuple[str, list[tuple[str, str]]]]
    ) -> None:
        oldest = format_timestamp(self._db.clock() - timedelta(days=self._keep_days))
        with self._db.note() as connection:
            traces.insert(connection, rows)
            for at, used in uses:
                traces.count_use(connection, used, at)
            traces.forget_before(connection, oldest)
