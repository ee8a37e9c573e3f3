"""
Long-term memory for AI coding assistants, on the user's own machine.

The names that bring libraries with them are imported on first use, so that an entry point may
import this package without loading the memory.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from . import errors as _errors
from .ambient import acting_as, as_one_batch, awaited_by, new_id, redactions
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
    "awaited_by",
    "new_id",
    "open_memory",
    "redactions",
]


_IMPORTED_ON_FIRST_USE = {
    "ALL_USERS": ".model.scope",
    "Memory": ".memory",
    "Scope": ".model.scope",
    "Settings": ".settings",
    "open_memory": ".memory",
}


if not TYPE_CHECKING:  # A type checker keeps reporting names that do not exist.

    def __getattr__(name: str) -> object:
        if name not in _IMPORTED_ON_FIRST_USE:
            return _errors.renamed_error(__name__, name)
        value = getattr(import_module(_IMPORTED_ON_FIRST_USE[name], __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
