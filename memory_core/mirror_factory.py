"""Create the vector mirror that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import ConfigurationError, UnavailableError
from .search.endpoint import Endpoint
from .settings import Settings
from .storage.database import Database

if TYPE_CHECKING:
    from .search.mirrors.mirror import VectorMirror

_TIMEOUT = 60.0
_MEANWHILE = "Nothing here depends on it: it is brought level when it answers."


def choose_mirror(settings: Settings, db: Database) -> VectorMirror | None:
    """
    Return the configured mirror, if any; raise ConfigurationError if its address or key is missing.
    """
    name, address = settings.vector_mirror, settings.vector_mirror_url
    if name == "none":
        return None
    from .search.mirrors.mirror import VectorMirror
    from .search.mirrors.services import SERVICES

    key = _key(settings)
    service = SERVICES[name]
    endpoint = Endpoint(
        address,
        named=f"The mirror {name}",
        failure=UnavailableError,
        headers=service.headers(key),
        timeout=_TIMEOUT,
        may_be_remote=settings.vector_mirror_allow_remote,
        allowed_by="VECTOR_MIRROR_ALLOW_REMOTE",
        way_out=_MEANWHILE,
    )
    return VectorMirror(
        db,
        service(endpoint),
        name=name,
        address=address,
        namespace=settings.vector_mirror_namespace,
        with_text=settings.vector_mirror_text,
    )


def _key(settings: Settings) -> str:
    """
    Return the key of the configured mirror; raise ConfigurationError if its URL is missing or
    unencrypted.
    """
    name, address = settings.vector_mirror, settings.vector_mirror_url
    key = settings.vector_mirror_key.get_secret_value() if settings.vector_mirror_key else ""
    missing = [
        setting
        for setting, value in (("VECTOR_MIRROR_URL", address), ("VECTOR_MIRROR_KEY", key))
        if not value
    ]
    if missing:
        raise ConfigurationError(
            f"The mirror {name} needs {' and '.join(missing)}. Set that, or VECTOR_MIRROR to none."
        )
    if settings.vector_mirror_allow_remote and not address.startswith("https://"):
        raise ConfigurationError(
            f"VECTOR_MIRROR_URL would send the key of {name} unencrypted. Use an https address."
        )
    return key
