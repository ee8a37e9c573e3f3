"""
Application settings: defaults, bounds, descriptions and the source of each value.

1. Only this module reads the environment and ``.env`` files.
2. Precedence: flags, environment, ``.env`` in the data directory, ``.env`` in the checkout,
   defaults. An installed wheel has no checkout. The working directory is never read: it may be an
   untrusted repository.
3. Empty values and unfilled placeholders (``${KEY}``, ``<your key>``) count as unset.
4. Unknown names are ignored. All invalid values are reported in one error.

``Settings()`` has the defaults; ``Settings.load()`` reads the sources above.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path, user_documents_path
from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic import (
    ValidationError as PydanticValidationError,
)
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from .._version import VERSION as VERSION
from ..errors import ConfigurationError, StorageError
from ..home_folder import expand_home
from ..installation import APPLICATION as APPLICATION
from ..installation import checkout
from ..model.setting import Setting, describe_setting
from .backups import BackupSettingsFields
from .embeddings import EmbeddingSettingsFields
from .entries import ALIASES, EntrySettingsFields
from .facts import FactSettingsFields
from .history import HistorySettingsFields
from .language_models import LanguageModelSettingsFields
from .mirrors import MirrorSettingsFields
from .problems import configuration_error, find_broken_rules
from .search import SearchSettingsFields

DATABASE_NAME = "memory.db"
LOG_NAME = "server.log"
DATA_ENV_FILE = ".env in the data directory"

_PLACEHOLDER = re.compile(
    r"\$\{[^}]*\}|\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%|\{\{.*\}\}|<[^<>]*>"
    r"|your[-_ ].*(key|token|here)",
    re.IGNORECASE,
)
_UNFILLED_PART = re.compile(r"\$\{[^}]*\}|\{\{[^}]*\}\}")


class Settings(
    BackupSettingsFields,
    HistorySettingsFields,
    EmbeddingSettingsFields,
    MirrorSettingsFields,
    LanguageModelSettingsFields,
    FactSettingsFields,
    EntrySettingsFields,
    SearchSettingsFields,
    BaseSettings,
):
    """All settings of the application. Created by load(), or directly in tests."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_ignore_empty=True, env_file_encoding="utf-8"
    )

    # Paths and logging
    sqlite_db_file: Path | None = Field(
        default=None,
        description="Path of the database. A relative path is resolved against the data "
        "directory, never the working directory. Unset: memory.db in the data "
        "directory.",
    )
    memory_data_dir: Path | None = Field(
        default=None,
        description="Data directory for the default database and server.log. Unset: the "
        "platform's user data directory.",
    )
    ontology_file: Path | None = Field(
        default=None,
        description="Path of a custom ontology, used instead of the shipped ontology.json.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Log level of server.log. Memory text is never logged."
    )

    # Interfaces
    run_mode: Literal["stdio", "local", "http"] = Field(
        default="stdio",
        description="stdio for clients that start the server; local (or http) for HTTP.",
    )
    mcp_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Bind address of the HTTP server. Any address except loopback requires "
        "MCP_TOKEN.",
    )
    mcp_port: int = Field(
        default=4392, ge=0, le=65535, description="Port of the HTTP server; 0 picks one."
    )
    mcp_token: SecretStr | None = Field(
        default=None,
        description="Bearer token required from HTTP clients. Unset: no authentication.",
    )
    mcp_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Additional host names, comma separated, accepted in HTTP requests.",
    )
    dashboard_password: SecretStr | None = Field(
        default=None, description="Password of the dashboard. Unset: no login."
    )
    dashboard_starts_server: bool = Field(
        default=True, description="Start the MCP server together with the dashboard."
    )
    memory_toolsets: str = Field(
        default="all",
        min_length=1,
        description="Tools to serve: all, essential, or tool families, comma separated.",
    )
    memory_project: str = Field(
        default="default",
        min_length=1,
        description="Default project of tools and commands.",
    )
    memory_user: str = Field(
        default="",
        max_length=300,
        description="Default user of tools, and the user that commands write for. Unset: records "
        "belong to no user.",
    )
    result_token_budget: int = Field(
        default=8000, ge=500, le=200_000, description="Maximum size of a tool result in tokens."
    )

    # Models
    embedding_model: str = Field(
        default="all-MiniLM-L6-v2",
        min_length=1,
        description="Embedding model: a local folder, or a name such as BAAI/bge-m3; the "
        "provider's model name if EMBEDDING_PROVIDER is not local.",
    )
    embedding_engine: Literal["auto", "onnx", "sentence-transformers"] = Field(
        default="auto",
        description="Runtime of the embedding model; auto selects the lightest that supports it.",
    )
    embedding_cache_size: int = Field(
        default=512, ge=0, le=100_000, description="Number of query vectors cached in memory."
    )
    allow_model_download: bool = Field(
        default=False, description="Allow downloading models that are not on this machine."
    )
    reranker_enabled: bool = Field(
        default=False, description="Rerank the best hits with a cross-encoder."
    )
    reranker_model: str = Field(
        default="cross-encoder/ms-marco-MiniLM-L-6-v2",
        min_length=1,
        description="Cross-encoder: a local folder or a name.",
    )

    # Redaction and traces
    redact_secrets: bool = Field(
        default=True,
        description="Redact API keys, tokens and private keys before storing; results report "
        "each redaction.",
    )
    trace_queries: bool = Field(default=True, description="Store the query text with its timings.")
    trace_days: int = Field(default=30, ge=0, le=3650, description="Days timings are kept.")

    # Documents
    knowledge_roots: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(),
        description="Folders that tools may read files from and write backups and exports to, "
        "separated as in PATH; the data directory is always allowed. Unset: the "
        "documents folder, and the working directory unless it is the home folder "
        "or one of its parents.",
    )
    knowledge_max_bytes: int = Field(
        default=20_000_000,
        ge=1,
        le=2_000_000_000,
        description="Maximum size of a file to read, in bytes.",
    )
    knowledge_chunk_size: int = Field(
        default=900, ge=50, le=8000, description="Maximum characters of a document chunk."
    )

    # Background discovery
    background_discovery: bool = Field(
        default=False, description="Discover relations in the background."
    )
    bg_discovery_interval: int = Field(
        default=300, ge=10, le=86_400, description="Seconds between two discovery runs."
    )
    bg_discovery_threshold: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Minimum similarity of two entities for background discovery.",
    )

    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

    @classmethod
    def load(cls, env_file: Path | None = None, **flags: Any) -> Settings:
        """
        Read flags, environment and .env files; raise ConfigurationError listing all invalid
        settings.
        """
        sources = _read_sources(cls, env_file, flags)
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for origin, found in sources.items():
            for name, value in found.items():
                if name not in values:
                    values[name], origins[name] = value, origin
        broken = _find_unfilled_placeholders(values)
        try:
            settings = cls(**values)
        except ConfigurationError as error:
            broken.update(error.broken)
        if broken:
            raise configuration_error(cls.model_fields, broken, values=values, origins=origins)
        settings._origins.update(origins)
        return settings

    @model_validator(mode="wrap")
    @classmethod
    def _raise_configuration_error(
        cls, given: Any, validate: ModelWrapValidatorHandler[Settings]
    ) -> Settings:
        """Raise ConfigurationError, because callers do not catch the error of pydantic."""
        try:
            return validate(given)
        except PydanticValidationError as error:
            broken = find_broken_rules(error)
        values = given if isinstance(given, Mapping) else {}
        raise configuration_error(cls.model_fields, broken, values=values, origins={})

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # load() reads the sources itself, to record the origin of each value.
        return (init_settings,)

    @field_validator("knowledge_roots", mode="before")
    @classmethod
    def _split_roots(cls, value: Any) -> Any:
        if isinstance(value, str):
            return [part for part in value.split(os.pathsep) if part.strip()]
        return value

    @field_validator("mcp_allowed_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: Any) -> Any:
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @field_validator("run_mode", "embedding_engine", mode="before")
    @classmethod
    def _lower_case(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper_case(cls, value: Any) -> Any:
        return value.strip().upper() if isinstance(value, str) else value

    @field_validator("mcp_token")
    @classmethod
    def _validate_token(cls, value: SecretStr | None) -> SecretStr | None:
        secret = value.get_secret_value() if value else "x" * 8
        if len(secret) < 8:
            raise ValueError("a token must have at least 8 characters")
        if not secret.isascii() or not secret.isprintable() or " " in secret:
            raise ValueError("a token must consist of printable ASCII characters without spaces")
        return value

    @field_validator("ontology_file")
    @classmethod
    def _validate_ontology_file(cls, value: Path | None) -> Path | None:
        if value is not None and not expand_home(value).is_file():
            raise ValueError("the file does not exist")
        return expand_home(value).absolute() if value is not None else None

    def data_directory(self) -> Path:
        """Return the data directory, created on first use; raise StorageError if that fails."""
        folder = self.memory_data_dir or user_data_path(APPLICATION, appauthor=False)
        folder = expand_home(folder).absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"Cannot create the data directory {folder}: {error.strerror}. Grant this user "
                "access to it, or set MEMORY_DATA_DIR to another directory."
            ) from error
        return folder

    def database_path(self) -> Path:
        """Return the path of the database; the directory of a configured path must exist."""
        named = expand_home(self.sqlite_db_file) if self.sqlite_db_file else Path(DATABASE_NAME)
        return named if named.is_absolute() else self.data_directory() / named

    def log_path(self) -> Path:
        return self.data_directory() / LOG_NAME

    def allowed_roots(self) -> tuple[Path, ...]:
        """Return the folders that tools may read from and write to, symlinks resolved."""
        if self.knowledge_roots:
            return tuple(expand_home(root).resolve() for root in self.knowledge_roots)
        here, documents = Path.cwd().resolve(), user_documents_path().resolve()
        # Some clients start servers in / or the home folder: too broad to allow by default.
        return (documents,) if Path.home().resolve().is_relative_to(here) else (here, documents)

    def sources(self) -> tuple[Setting, ...]:
        """Return each setting with its value and source."""
        fields = type(self).model_fields
        groups = (
            *(
                SearchSettingsFields,
                EntrySettingsFields,
                FactSettingsFields,
                LanguageModelSettingsFields,
            ),
            *(EmbeddingSettingsFields, MirrorSettingsFields, BackupSettingsFields),
            HistorySettingsFields,
        )
        last = [name for group in groups for name in group.model_fields]
        return tuple(
            describe_setting(
                name, fields[name], getattr(self, name), self._origins.get(name, "default")
            )
            for name in (*(name for name in fields if name not in last), *last)
        )


def settings_table() -> tuple[Setting, ...]:
    """Return each setting with its default, for the generated docs."""
    return Settings().sources()


def _read_sources(
    cls: type[Settings], env_file: Path | None, flags: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the values of each source in order of precedence, without unset ones."""
    environment = EnvSettingsSource(cls)
    env_files = {".env": env_file} if env_file else _env_files(cls, environment, flags)
    sources = {"environment": environment} | {
        name: DotEnvSettingsSource(cls, env_file=path) for name, path in env_files.items()
    }
    values = {"flag": flags, **{name: source() for name, source in sources.items()}}
    for origin, source in sources.items():
        # Later than the setting itself: an alias never overrides it.
        for name, alias in ALIASES.items():
            values[f"{origin}, as {alias.upper()}"] = {name: source.env_vars.get(alias)}
    return {
        origin: {
            name: value
            for name, value in found.items()
            # Unknown flags are reported; the environment has variables of other programs.
            if (name in cls.model_fields or found is flags) and not _is_unset(value)
        }
        for origin, found in values.items()
    }


def _env_files(
    cls: type[Settings], environment: EnvSettingsSource, flags: Mapping[str, Any]
) -> dict[str, Path]:
    """Return the .env files. MEMORY_DATA_DIR is read from flags, environment and the checkout."""
    root = checkout()
    in_checkout = {".env": root / ".env"} if root else {}
    lines = [DotEnvSettingsSource(cls, env_file=path).env_vars for path in in_checkout.values()]
    named = (source.get("memory_data_dir") for source in (flags, environment.env_vars, *lines))
    chosen = next((value for value in named if not _is_unset(value)), None)
    folder = Path(chosen) if chosen else user_data_path(APPLICATION, appauthor=False)
    return {DATA_ENV_FILE: expand_home(folder).absolute() / ".env", **in_checkout}


def _is_unset(value: Any) -> bool:
    if not isinstance(value, str):
        return value is None
    return not value.strip() or _PLACEHOLDER.fullmatch(value.strip()) is not None


def _find_unfilled_placeholders(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values that contain an unfilled placeholder."""
    return {
        name: "contains an unfilled placeholder"
        for name, value in values.items()
        if isinstance(value, str) and _UNFILLED_PART.search(value)
    }
