"""
Long-term memory for AI coding assistants, on the user's own machine.

The names that bring libraries with them are imported on first use, so that an entry point may
import this package without loading the memory.
"""

import warnings as _warnings
from importlib import import_module
from typing import TYPE_CHECKING

from . import errors as _errors
from .context import acting_as, as_one_batch, redactions, track_progress
from .errors import (
    CancelledError,
    ConfigurationError,
    ConflictError,
    DimensionMismatchError,
    EmbeddingError,
    ExtractionError,
    ForbiddenError,
    ForeignDatabaseError,
    IndexUnavailableError,
    LanguageModelUnavailableError,
    MemoryCoreError,
    NewerDatabaseError,
    NotFoundError,
    NotInitialisedError,
    StorageError,
    UnavailableError,
    ValidationError,
    VersionConflictError,
)
from .ids import new_id
from .log_redaction import redact_log_records
from .threads import start_thread

if TYPE_CHECKING:
    from .memory import Memory, open_memory
    from .model.scope import ALL_USERS, Scope
    from .settings import Settings

__all__ = [
    "ALL_USERS",
    "CancelledError",
    "ConfigurationError",
    "ConflictError",
    "DimensionMismatchError",
    "EmbeddingError",
    "ExtractionError",
    "ForbiddenError",
    "ForeignDatabaseError",
    "IndexUnavailableError",
    "LanguageModelUnavailableError",
    "Memory",
    "MemoryCoreError",
    "NewerDatabaseError",
    "NotFoundError",
    "NotInitialisedError",
    "Scope",
    "Settings",
    "StorageError",
    "UnavailableError",
    "ValidationError",
    "VersionConflictError",
    "acting_as",
    "as_one_batch",
    "new_id",
    "open_memory",
    "redact_log_records",
    "redactions",
    "start_thread",
    "track_progress",
]


_IMPORTED_ON_FIRST_USE = {
    "ALL_USERS": ".model.scope",
    "Memory": ".memory",
    "Scope": ".model.scope",
    "Settings": ".settings",
    "open_memory": ".memory",
}


def _warn_of_old_name(old: str, new: str) -> None:
    _warnings.warn(
        f"memory_core.{old} is deprecated and will be removed in the next release. Use {new}.",
        DeprecationWarning,
        stacklevel=3,
    )


if not TYPE_CHECKING:  # A type checker keeps reporting names that do not exist.

    def __getattr__(name: str) -> object:
        if name == "awaited_by":
            _warn_of_old_name(name, "track_progress")
            return track_progress
        if name not in _IMPORTED_ON_FIRST_USE:
            return _errors.renamed_error(__name__, name)
        value = getattr(import_module(_IMPORTED_ON_FIRST_USE[name], __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
