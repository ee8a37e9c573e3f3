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

# What a terminal may be shown; anything else could move its cursor or forge a line.
_LINE_ENDS = "\n\t"


@dataclass(frozen=True)
class Common:
    """The options that every command takes."""

    project: str | None = None
    user: str = ""
    agent: str = ""
    session: str = ""
    as_json: bool = False
    db: Path | None = None


@dataclass(frozen=True)
class Answer:
    """
    What a command has to say.

    Attributes:
        value: The whole of it, as JSON shows it.

        lines: The same for people.

        hints: What to do next; never part of the output proper.
    """

    value: Value | Sequence[Value] | dict[str, Any]
    lines: Iterable[str]
    hints: Sequence[str] = ()
    code: int = 0


class CliContext:
    """Opens the memory when a command first needs it, and keeps it for the next one."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory
        self._given = memory is not None
        self.common = Common()
        # What holds for a command that does not say otherwise; a shell sets it.
        self.defaults = Common()

    @property
    def settings(self) -> Settings:
        if self._memory is not None:
            return self._memory.settings
        return Settings.load(sqlite_db_file=self.common.db and self.common.db.absolute())

    @property
    def memory(self) -> Memory:
        if self._memory is None:
            # Not before it is needed: help and config open nothing.
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
        """The scope of what is shown: all users, who own the file, unless one is named."""
        return self.scope.model_copy(update={"user_id": self.common.user or ALL_USERS})

    def load_model(self) -> None:
        """Wait for the embedding model; without one, full text alone answers, and says so."""
        # A memory that cannot be opened is no matter of the model.
        memory = self.memory
        try:
            memory.embedder.get()
        except MemoryCoreError as error:
            self.tell(f"By words alone: {error}")

    def show(self, answer: Answer) -> None:
        """Write the answer to stdout, as JSON if that was asked for, and its hints to stderr."""
        if self.common.as_json:
            text = json.dumps(_plain(answer.value), ensure_ascii=False, indent=2)
            typer.echo(text)
        else:
            for line in answer.lines:
                typer.echo(printable(line))
        for hint in answer.hints:
            self.tell(hint)

    def tell(self, text: str) -> None:
        """Write to stderr, where nothing is parsed."""
        typer.echo(printable(text), err=True)

    def confirm(self, what: str, word: str, *, yes: bool) -> None:
        """Go on only if that was said beforehand, or *word* is typed now; else end with 1."""
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
    """Return *text* as a terminal may be given it."""
    return "".join(c if c.isprintable() or c in _LINE_ENDS else ascii(c)[1:-1] for c in text)


def _plain(value: Value | Sequence[Value] | dict[str, Any]) -> Any:
    if isinstance(value, Value):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return value
    return [each.model_dump(mode="json") for each in value]
