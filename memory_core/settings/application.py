"""
Every setting: its default, its bound, what it does, and where its value came from.

1. This module alone reads the environment and the files named ``.env``.
2. A flag wins over the environment, the environment over ``.env`` in the data directory, that over
   ``.env`` in the checkout, and that over the default. An installed wheel has no checkout. The
   working directory is never read: it may be a repository of others.
3. What is empty, or a placeholder nobody filled in (``${KEY}``, ``<your key>``), is unset.
4. Names we do not know are ignored; every value that breaks a rule is named at once.

``Settings()`` is the defaults; ``Settings.load()`` reads the places above.
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
from ..installation import APPLICATION as APPLICATION
from ..installation import checkout
from ..model.setting import Setting, describe_setting
from .backups import BackupSettingsFields
from .embeddings import EmbeddingSettingsFields
from .entries import ALIASES, EntrySettingsFields
from .facts import FactSettingsFields
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
_HALF_FILLED = re.compile(r"\$\{[^}]*\}|\{\{[^}]*\}\}")


class Settings(
    BackupSettingsFields,
    EmbeddingSettingsFields,
    MirrorSettingsFields,
    LanguageModelSettingsFields,
    FactSettingsFields,
    EntrySettingsFields,
    SearchSettingsFields,
    BaseSettings,
):
    """What a person may set. Built by load() from the outside, or in a test by hand."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_ignore_empty=True, env_file_encoding="utf-8"
    )

    # Where things are
    sqlite_db_file: Path | None = Field(
        default=None,
        description="The memory file. A relative name is taken from the data directory, never "
        "from the current one. Unset: memory.db in the data directory.",
    )
    memory_data_dir: Path | None = Field(
        default=None,
        description="The data directory: the default memory file and server.log. Unset: the "
        "platform's place for a user's data.",
    )
    ontology_file: Path | None = Field(
        default=None, description="Your own ontology, which overrides the shipped ontology.json."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="How much server.log tells. Memory text is never logged."
    )

    # The doors
    run_mode: Literal["stdio", "local", "http"] = Field(
        default="stdio",
        description="stdio for an editor that starts the server; local (or http) for HTTP.",
    )
    mcp_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address of the HTTP server. Any but this machine's own needs MCP_TOKEN.",
    )
    mcp_port: int = Field(
        default=4392, ge=0, le=65535, description="Port of the HTTP server; 0 picks one."
    )
    mcp_token: SecretStr | None = Field(
        default=None,
        description="Bearer token that HTTP clients must send. Unset: none is asked for.",
    )
    mcp_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Host names, comma separated, that HTTP requests may name besides this "
        "machine's own.",
    )
    dashboard_password: SecretStr | None = Field(
        default=None, description="Password the dashboard asks for. Unset: none is asked for."
    )
    dashboard_starts_server: bool = Field(
        default=True, description="Whether the dashboard starts the MCP server beside itself."
    )
    memory_toolsets: str = Field(
        default="all",
        min_length=1,
        description="Which tools are served: all, essential, or families, comma separated.",
    )
    memory_project: str = Field(
        default="default",
        min_length=1,
        description="The project that is meant where a tool or a command is given none.",
    )
    memory_user: str = Field(
        default="",
        max_length=300,
        description="The user that is meant where a tool is given none, and that commands write "
        "for. Unset: records belong to no user.",
    )
    result_token_budget: int = Field(
        default=8000, ge=500, le=200_000, description="The most tokens one tool result may take."
    )

    # Models
    embedding_model: str = Field(
        default="all-MiniLM-L6-v2",
        min_length=1,
        description="The embedding model: a local folder, or a name such as BAAI/bge-m3; "
        "its name there if EMBEDDING_PROVIDER is not local.",
    )
    embedding_engine: Literal["auto", "onnx", "sentence-transformers"] = Field(
        default="auto",
        description="What runs the embedding model; auto takes the lightest that can.",
    )
    embedding_cache_size: int = Field(
        default=512, ge=0, le=100_000, description="How many query vectors are kept in memory."
    )
    allow_model_download: bool = Field(
        default=False, description="Whether a model that is not on this machine may be downloaded."
    )
    reranker_enabled: bool = Field(
        default=False, description="Whether a cross-encoder orders the best hits once more."
    )
    reranker_model: str = Field(
        default="cross-encoder/ms-marco-MiniLM-L-6-v2",
        min_length=1,
        description="The cross-encoder: a local folder or a name.",
    )

    # What is kept out of the file, and for how long the rest stays
    redact_secrets: bool = Field(
        default=True,
        description="Whether API keys, tokens and private keys are taken out of whatever is "
        "stored; the answer says what and where.",
    )
    trace_queries: bool = Field(
        default=True, description="Whether the text of a query is kept with its timings."
    )
    trace_days: int = Field(
        default=30, ge=0, le=3650, description="How many days timings are kept."
    )

    # Documents
    knowledge_roots: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(),
        description="Folders that tools may read files from and write copies and exports to, "
        "separated as in PATH; the data folder always counts. Unset: the working directory, unless "
        "it is the home folder or above it, and the documents folder.",
    )
    knowledge_max_bytes: int = Field(
        default=20_000_000,
        ge=1,
        le=2_000_000_000,
        description="The largest file that is read, in bytes.",
    )
    knowledge_chunk_size: int = Field(
        default=900, ge=50, le=8000, description="Characters in one chunk of a document, at most."
    )

    # Discovery in the background
    background_discovery: bool = Field(
        default=False, description="Whether relations are looked for in the background."
    )
    bg_discovery_interval: int = Field(
        default=300, ge=10, le=86_400, description="Seconds between two background discoveries."
    )
    bg_discovery_threshold: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Similarity from which background discovery sees a relation.",
    )

    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

    @classmethod
    def load(cls, env_file: Path | None = None, **flags: Any) -> Settings:
        """Read flags, environment and .env; raise ConfigurationError naming every problem."""
        places = _read_sources(cls, env_file, flags)
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for origin, found in places.items():
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
    def _refused_by_name(cls, given: Any, read: ModelWrapValidatorHandler[Settings]) -> Settings:
        """Raise ConfigurationError: a program that gives a wrong value catches no other errors."""
        try:
            return read(given)
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
        # load() reads the places itself, so that it can tell where each value came from.
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
    def _any_case(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper_case(cls, value: Any) -> Any:
        return value.strip().upper() if isinstance(value, str) else value

    @field_validator("mcp_token")
    @classmethod
    def _sendable(cls, value: SecretStr | None) -> SecretStr | None:
        secret = value.get_secret_value() if value else "x" * 8
        if len(secret) < 8:
            raise ValueError("a token has at least 8 characters")
        if not secret.isascii() or not secret.isprintable() or " " in secret:
            raise ValueError("a token is made of printable ASCII characters without spaces")
        return value

    @field_validator("ontology_file")
    @classmethod
    def _existing(cls, value: Path | None) -> Path | None:
        if value is not None and not value.expanduser().is_file():
            raise ValueError("there is no such file")
        return value.expanduser().absolute() if value is not None else None

    def data_directory(self) -> Path:
        """Return the data directory, made on first use; raise StorageError if it cannot be."""
        folder = self.memory_data_dir or user_data_path(APPLICATION, appauthor=False)
        folder = folder.expanduser().absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"The data directory {folder} cannot be made: {error.strerror}. Give this user "
                "access to it, or name another one in MEMORY_DATA_DIR."
            ) from error
        return folder

    def database_path(self) -> Path:
        """Return where the memory file is; a place that was named must already exist."""
        named = self.sqlite_db_file.expanduser() if self.sqlite_db_file else Path(DATABASE_NAME)
        return named if named.is_absolute() else self.data_directory() / named

    def log_path(self) -> Path:
        return self.data_directory() / LOG_NAME

    def allowed_roots(self) -> tuple[Path, ...]:
        """Return the folders that tools may read from and write to, symlinks resolved."""
        if self.knowledge_roots:
            return tuple(root.expanduser().resolve() for root in self.knowledge_roots)
        here, documents = Path.cwd().resolve(), user_documents_path().resolve()
        # Some clients start a server in / or in the home folder: too much to open by default.
        return (documents,) if Path.home().resolve().is_relative_to(here) else (here, documents)

    def sources(self) -> tuple[Setting, ...]:
        """Return each setting with its value and where that came from."""
        fields = type(self).model_fields
        groups = (
            *(
                SearchSettingsFields,
                EntrySettingsFields,
                FactSettingsFields,
                LanguageModelSettingsFields,
            ),
            *(EmbeddingSettingsFields, MirrorSettingsFields, BackupSettingsFields),
        )
        last = [name for group in groups for name in group.model_fields]
        return tuple(
            describe_setting(
                name, fields[name], getattr(self, name), self._origins.get(name, "default")
            )
            for name in (*(name for name in fields if name not in last), *last)
        )


def settings_table() -> tuple[Setting, ...]:
    """Return each setting with its default, as the generated docs show it."""
    return Settings().sources()


def _read_sources(
    cls: type[Settings], env_file: Path | None, flags: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return what each place says, the strongest place first, without what counts as unset."""
    variables = EnvSettingsSource(cls)
    env_files = {".env": env_file} if env_file else _env_files(cls, variables, flags)
    sources = {"environment": variables} | {
        place: DotEnvSettingsSource(cls, env_file=path) for place, path in env_files.items()
    }
    read = {"flag": flags, **{place: source() for place, source in sources.items()}}
    for place, known in ((place, source.env_vars) for place, source in sources.items()):
        # After every place of its own name: an alias never wins over that.
        for name, alias in ALIASES.items():
            read[f"{place}, as {alias.upper()}"] = {name: known.get(alias)}
    return {
        origin: {
            name: value
            for name, value in found.items()
            # A program's mistake in a name is told; the environment holds what is for others.
            if (name in cls.model_fields or found is flags) and not _is_unset(value)
        }
        for origin, found in read.items()
    }


def _env_files(
    cls: type[Settings], variables: EnvSettingsSource, flags: Mapping[str, Any]
) -> dict[str, Path]:
    """Return the .env files; MEMORY_DATA_DIR in the first one does not lead to another."""
    root = checkout()
    in_checkout = {".env": root / ".env"} if root else {}
    lines = [DotEnvSettingsSource(cls, env_file=path).env_vars for path in in_checkout.values()]
    named = (place.get("memory_data_dir") for place in (flags, variables.env_vars, *lines))
    chosen = next((value for value in named if not _is_unset(value)), None)
    folder = Path(chosen) if chosen else user_data_path(APPLICATION, appauthor=False)
    return {DATA_ENV_FILE: folder.expanduser().absolute() / ".env", **in_checkout}


def _is_unset(value: Any) -> bool:
    if not isinstance(value, str):
        return value is None
    return not value.strip() or _PLACEHOLDER.fullmatch(value.strip()) is not None


def _find_unfilled_placeholders(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values in which a placeholder is left; reading round it would be a guess."""
    return {
        name: "holds a placeholder that nobody filled in"
        for name, value in values.items()
        if isinstance(value, str) and _HALF_FILLED.search(value)
    }
