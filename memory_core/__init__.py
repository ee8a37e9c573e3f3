"""Long-term memory for AI coding assistants, on the user's own machine."""

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
from .memory import Memory, open_memory
from .model.scope import Scope
from .settings import Settings

__all__ = [
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


if not TYPE_CHECKING:  # A type checker keeps reporting names that do not exist.

    def __getattr__(name: str) -> type[MemoryCoreError]:
        return _errors.renamed_error(__name__, name)
