"""Context of a command: the memory, the scope and the output streams."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..errors import MemoryCoreError, ValidationError
from ..memory import Memory, open_memory
from ..model.base import Value
from ..model.scope import ALL_USERS, Scope
from ..settings import Settings

# Characters that are safe for a terminal; others could move the cursor or forge a line.
_LINE_ENDS = "\n\t"


@dataclass(frozen=True)
class Common:
    """Options accepted by every command."""

    project: str | None = None
    user: str = ""
    agent: str = ""
    session: str = ""
    as_json: bool = False
    db: Path | None = None


@dataclass(frozen=True)
class Answer:
    """
    The result of a command: *value* as JSON, *lines* as text, and *hints* (next steps) for stderr.
    """

    value: Value | Sequence[Value] | dict[str, Any]
    lines: Iterable[str]
    hints: Sequence[str] = ()
    code: int = 0


class CliContext:
    """Opens the memory when a command first needs it, and keeps it open for the next one."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory
        self._given = memory is not None
        self.common = Common()
        # Default options of commands; set by a shell.
        self.defaults = Common()

    @property
    def settings(self) -> Settings:
        if self._memory is not None:
            return self._memory.settings
        return Settings.load(sqlite_db_file=self.common.db and self.common.db.absolute())

    @property
    def memory(self) -> Memory:
        if self._memory is None:
            # Imported lazily: help and config do not open a memory.
            from ..server.logs import log_for

            settings = self.settings
            log_for(settings)
            self._memory = open_memory(settings)
        elif self.common.db != self.defaults.db:
            raise ValidationError(
                "Another --db cannot be opened inside a shell. Leave it and start again."
            )
        return self._memory

    @property
    def project(self) -> str:
        return self.common.project or self.settings.memory_project

    @property
    def scope(self) -> Scope:
        common = self.common
        return Scope(
            project_id=self.project,
            user_id=common.user or self.settings.memory_user,
            agent_id=common.agent,
            session_id=common.session,
        )

    @property
    def reader(self) -> Scope:
        """
        The scope for reading: all users, as the file belongs to the caller, unless one is named.
        """
        return self.scope.model_copy(update={"user_id": self.common.user or ALL_USERS})

    def load_model(self) -> None:
        """Wait for the embedding model; without one, print a notice and use full text alone."""
        # Opened outside the try block: a failure to open is not a failure of the model.
        memory = self.memory
        try:
            memory.embedder.get()
        except MemoryCoreError as error:
            self.tell(f"Full-text search only: {error}")

    def show(self, answer: Answer) -> None:
        """Write the answer to stdout, as JSON if requested, and its hints to stderr."""
        if self.common.as_json:
            text = json.dumps(_plain(answer.value), ensure_ascii=False, indent=2)
            typer.echo(text)
        else:
            for line in answer.lines:
                typer.echo(printable(line))
        for hint in answer.hints:
            self.tell(hint)

    def tell(self, text: str) -> None:
        """Write to stderr."""
        typer.echo(printable(text), err=True)

    def confirm(self, what: str, word: str, *, yes: bool) -> None:
        """Continue if *yes* or if the user types *word*; otherwise exit with code 1."""
        if yes:
            return
        typer.echo(printable(f"{what} Type {word} to go on (or give --yes): "), nl=False, err=True)
        sys.stderr.flush()
        if sys.stdin.readline().strip() != word:
            self.tell("Nothing was done.")
            raise typer.Exit(1)

    def close(self) -> None:
        if self._memory is not None and not self._given:
            self._memory.close()
            self._memory = None


def printable(text: str) -> str:
    """Return *text* with unsafe characters replaced, for output to a terminal."""
    return "".join(c if c.isprintable() or c in _LINE_ENDS else ascii(c)[1:-1] for c in text)


def _plain(value: Value | Sequence[Value] | dict[str, Any]) -> Any:
    if isinstance(value, Value):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return value
    return [each.model_dump(mode="json") for each in value]
