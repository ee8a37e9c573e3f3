"""Validation of the arguments of open_memory()."""

from __future__ import annotations

import os

from .errors import ConfigurationError
from .settings import Settings


def require_openable(
    settings: object, *, path: object, embedder: object, clock: object, ids: object
) -> None:
    """Raise ConfigurationError, which names the argument that is of the wrong kind."""
    if settings is not None and not isinstance(settings, Settings):
        raise _refusal("settings", settings, "Settings: Settings.load(), or Settings(name=value)")
    if path is not None and not isinstance(path, str | os.PathLike):
        raise _refusal("path", path, "the name of a file, as a text or a Path")
    if path is not None and "\0" in os.fspath(path):
        raise _refusal("path", path, "the name of a file, without a NUL in it")
    if embedder is not None and not all(hasattr(embedder, name) for name in ("embed", "identity")):
        raise _refusal(
            "embedder",
            embedder,
            "an object with embed(texts) and identity(); a model's name is "
            "Settings(embedding_model=...)",
        )
    for name, given in (("clock", clock), ("ids", ids)):
        if not callable(given):
            raise _refusal(name, given, "a function without arguments")


def _refusal(name: str, given: object, wanted: str) -> ConfigurationError:
    return ConfigurationError(f"open_memory: {name} is {given!r:.60}, and must be {wanted}.")
