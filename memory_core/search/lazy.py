"""Thread-safe lazy loading of a model."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from ..errors import EmbeddingError, MemoryCoreError
from ..model.search.vectors import ModelState
from ..threads import start_thread

logger = logging.getLogger(__name__)

Loaded = TypeVar("Loaded")


class ModelAbsent(Exception):
    """Raised by *load* when the model is not on this machine; translated by get()."""


@contextmanager
def failing_as(name: str) -> Iterator[None]:
    """Translate all errors of a model's libraries into EmbeddingError."""
    try:
        yield
    except MemoryCoreError:
        raise
    except Exception as error:
        # Only the type: the message may quote the embedded text.
        raise EmbeddingError(
            f"The model {name} failed with {type(error).__name__}. Try again, or restart."
        ) from error


class Lazy(Generic[Loaded]):
    """
    Holds the result of *load*, which runs on first use.

    A failed load is not retried automatically, since it may be slow to fail: warm() retries it.
    With *retry_seconds*, it is retried after that time.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[], Loaded],
        *,
        retry_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._load = load
        self._retry_seconds = retry_seconds
        self._clock = clock
        self._failed_at = 0.0
        self._loaded: Loaded | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.state: ModelState = "idle"
        self.reason = ""

    @property
    def ready(self) -> bool:
        return self.state == "ready"

    def get(self) -> Loaded:
        """Return the model, loading it if necessary; raise EmbeddingError if that failed."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._first_load()
        return self._loaded

    def warm_if_due(self) -> str:
        """
        Start loading in the background unless it is running or has failed; return why it is not
        ready.
        """
        reason = self.reason or "The embedding model is still loading."
        if self.state == "idle" or (self.state == "failed" and self._may_retry()):
            self.warm()
        return reason

    def warm(self) -> threading.Thread:
        """Start loading in the background; the thread ends after success or failure."""
        if self._thread is None or not self._thread.is_alive():
            if not self.ready:
                self.state, self.reason = "loading", ""
            self._thread = start_thread(self._load_quietly, name=f"load {self._name}")
        return self._thread

    def join(self, timeout: float) -> None:
        """Wait for a background load to end; it cannot be interrupted."""
        if self._thread is not None:
            self._thread.join(timeout)

    def _load_quietly(self) -> None:
        try:
            self.get()
        except EmbeddingError as error:
            logger.warning("%s", error)

    def _first_load(self) -> Loaded:
        if self.state in ("failed", "absent") and not self._may_retry():
            raise EmbeddingError(self.reason)
        self.state = "loading"
        try:
            loaded = self._load()
        except ModelAbsent as error:
            self.state, self.reason = "absent", str(error)
            raise EmbeddingError(self.reason) from error
        # Tokenizers, ONNX Runtime and safetensors raise bare Exceptions of their own.
        except Exception as error:
            self.state, self._failed_at = "failed", self._clock()
            self.reason = f"The model {self._name} could not be loaded: {error}"
            raise EmbeddingError(self.reason) from error
        self.state, self.reason = "ready", ""
        return loaded

    def _may_retry(self) -> bool:
        waited = self._clock() - self._failed_at
        return self._retry_seconds is not None and waited >= self._retry_seconds
