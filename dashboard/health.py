"""How the memory is, at a glance: cheap enough to be asked on every page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory_core import Memory

from .embedded import Status
from .words import counted, size

Colour = Literal["green", "amber", "red"]
ORDER: tuple[Colour, ...] = ("green", "amber", "red")


@dataclass(frozen=True)
class Check:
    """One thing that can be well or not."""

    name: str
    colour: Colour
    word: str
    reason: str = ""


@dataclass(frozen=True)
class Health:
    """All checks; the worst of them speaks for the whole."""

    checks: tuple[Check, ...]

    @property
    def worst(self) -> Check:
        return max(self.checks, key=lambda check: ORDER.index(check.colour))

    @property
    def colour(self) -> Colour:
        return self.worst.colour

    @property
    def sentence(self) -> str:
        if self.colour == "green":
            return "All is well"
        return f"{self.worst.name}: {self.worst.word}"

    @property
    def reason(self) -> str:
        return self.worst.reason or "File, model, vectors and server are as they should be."


def health(memory: Memory, server: Status) -> Health:
    """Look at the file, the model, the vectors and the server."""
    return Health((_file(memory), _model(memory), _vectors(memory), of_server(server)))


def of_server(server: Status) -> Check:
    """Say how the MCP server stands."""
    if server.serving:
        return Check("MCP server", "green", server.url.removeprefix("http://"))
    if server.state in ("taken", "failed"):
        return Check("MCP server", "red", "not served", server.reason)
    if server.state == "starting":
        return Check("MCP server", "amber", "starting", "It will answer in a moment.")
    return Check("MCP server", "amber", "stopped", "Start it on the page Server and settings.")


def _file(memory: Memory) -> Check:
    path = memory.db.path
    if memory.db.newer_than_we_know:
        reason = "A newer version of this program wrote the file, so it is open for reading only."
        return Check("Memory file", "red", "read-only", reason)
    return Check("Memory file", "green", size(path.stat().st_size), str(path))


def _model(memory: Memory) -> Check:
    model, name = memory.embedder, memory.settings.embedding_model
    if model.ready:
        return Check("Embedding model", "green", "ready", name)
    if model.state in ("failed", "absent"):
        reason = f"Searches answer by full text alone. {model.reason}"
        return Check("Embedding model", "red", model.state, reason)
    return Check("Embedding model", "amber", "loading", f"{name}; until then full text answers.")


def _vectors(memory: Memory) -> Check:
    waiting = memory.follower.pending()
    if not waiting:
        return Check("Vectors", "green", "level", "Every text has its vector.")
    reason = "They are found by full text meanwhile."
    return Check("Vectors", "amber", f"{counted(waiting, 'text')} waiting", reason)
