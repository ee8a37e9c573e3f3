"""
Exceptions raised by memory_core.

* MemoryCoreError
  x NotFoundError                   no row of that kind has that id
  x ConflictError                   the write contradicts what is stored
    + VersionConflictError          the row changed since it was shown
  x ValidationError                 the request breaks a rule or a limit
    + ConfigurationError            a setting cannot be used
  x ForbiddenError                  the request is not allowed here
  x CancelledError                  the caller cancelled the request
  x UnavailableError                a part needed for this call is not working
    + NotInitialisedError           the memory is closed
    + StorageError                  the memory file cannot be read or written
      - ForeignDatabaseError        the file belongs to another program
      - NewerDatabaseError          the file was written by a newer version
    + IndexUnavailableError         the vector index cannot be read
    + EmbeddingError                the embedding model cannot be loaded or failed
    + DimensionMismatchError        vectors of two sizes or two models would be mixed
    + LanguageModelUnavailableError no language model is set, or it did not answer
    + ExtractionError               a language model answered, but not with facts

To show a message, catch MemoryCoreError and display ``str(error)``: it states the subject,
the rule and the fix. ``error.code`` is stable, for programs. The names without the suffix
Error are deprecated and will be removed in the next release.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

# Characters of one quoted value in a message, and of a whole message.
MAX_QUOTED = 200
MAX_MESSAGE = 4000

_LONG_QUOTE = re.compile(rf"(['\"])([^'\"\n]{{{MAX_QUOTED}}})[^'\"\n]+\1")


def bound_message(message: str) -> str:
    """Return *message* with long quoted values shortened; its beginning and its end stay."""
    message = _LONG_QUOTE.sub(r"\1\2...\1", message)
    if len(message) <= MAX_MESSAGE:
        return message
    half = MAX_MESSAGE // 2 - 20
    return f"{message[:half]} ... (shortened) ... {message[-half:]}"


class MemoryCoreError(Exception):
    """Base of every error that memory_core raises on purpose. Its message is bounded."""

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str = "") -> None:
        super().__init__(bound_message(message))


class NotFoundError(MemoryCoreError):
    """No row of that kind has that id."""

    code = "NOT_FOUND"

    def __init__(self, kind: str, id: str, hint: str = "") -> None:
        super().__init__(f"There is no {kind} {id!r}.{' ' if hint else ''}{hint}")
        self.kind = kind
        self.id = id


class ConflictError(MemoryCoreError):
    """The write contradicts what is stored."""

    code = "CONFLICT"


class VersionConflictError(ConflictError):
    """The row changed since it was shown."""

    def __init__(self, kind: str, id: str, *, by: str, at: str, version: int) -> None:
        super().__init__(
            f"The {kind} {id!r} was changed by {by} at {at} and is now at version "
            f"{version}. Nothing was saved: read it again, then repeat your change."
        )
        self.by = by
        self.at = at
        self.version = version


class ValidationError(MemoryCoreError):
    """The request breaks a rule or a limit."""

    code = "INVALID_INPUT"


class ConfigurationError(ValidationError):
    """A setting cannot be used."""

    code = "INVALID_CONFIG"

    def __init__(self, message: str, *, broken: Mapping[str, str] | None = None) -> None:
        """*broken*: the rule that is broken, by the setting's name, where it is one of Settings."""
        super().__init__(message)
        self.broken = dict(broken or {})


class ForbiddenError(MemoryCoreError):
    """The request is not allowed here."""

    code = "REFUSED"


class CancelledError(MemoryCoreError):
    """The caller cancelled the request."""

    code = "CANCELLED"


class UnavailableError(MemoryCoreError):
    """A part needed for this call is not working."""

    code = "UNAVAILABLE"


class NotInitialisedError(UnavailableError):
    """The memory is closed."""

    code = "NOT_INITIALISED"


class StorageError(UnavailableError):
    """The memory file cannot be read or written."""

    code = "STORAGE_FAILED"


class ForeignDatabaseError(StorageError):
    """The file belongs to another program."""


class NewerDatabaseError(StorageError):
    """The file was written by a newer version."""


class IndexUnavailableError(UnavailableError):
    """The vector index cannot be read."""

    code = "INDEX_UNAVAILABLE"


class EmbeddingError(UnavailableError):
    """The embedding model cannot be loaded or failed."""

    code = "EMBEDDING_FAILED"


class DimensionMismatchError(UnavailableError):
    """Vectors of two sizes or two models would be mixed."""

    code = "DIMENSION_MISMATCH"


class LanguageModelUnavailableError(UnavailableError):
    """No language model is set, or it did not answer."""

    code = "LLM_UNAVAILABLE"


class ExtractionError(UnavailableError):
    """A language model answered, but not with facts."""

    code = "EXTRACTION_FAILED"


_RENAMED: dict[str, type[MemoryCoreError]] = {
    "Cancelled": CancelledError,
    "Conflict": ConflictError,
    "DimensionMismatch": DimensionMismatchError,
    "EmbeddingFailed": EmbeddingError,
    "ExtractionFailed": ExtractionError,
    "ForeignDatabase": ForeignDatabaseError,
    "IndexUnavailable": IndexUnavailableError,
    "Invalid": ValidationError,
    "InvalidConfig": ConfigurationError,
    "LanguageModelUnavailable": LanguageModelUnavailableError,
    "NewerDatabase": NewerDatabaseError,
    "NotFound": NotFoundError,
    "NotInitialised": NotInitialisedError,
    "Refused": ForbiddenError,
    "StorageFailed": StorageError,
    "Unavailable": UnavailableError,
    "VersionConflict": VersionConflictError,
}


def renamed_error(module: str, name: str) -> type[MemoryCoreError]:
    """Return the class that *name* referred to before the rename, with a DeprecationWarning."""
    if name not in _RENAMED:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    new = _RENAMED[name]
    warnings.warn(
        f"{module}.{name} is deprecated and will be removed in the next release. "
        f"Use {new.__name__}.",
        DeprecationWarning,
        stacklevel=3,
    )
    return new


if not TYPE_CHECKING:  # A type checker keeps reporting names that do not exist.

    def __getattr__(name: str) -> type[MemoryCoreError]:
        return renamed_error(__name__, name)
