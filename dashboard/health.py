"""Health status shown on every page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from memory_core import Memory
from memory_core.model.health import HealthReport

from .components.formatting import ago, format_count, size
from .embedded import Status

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
        if self.colour == "green":
            return "File, model, vectors and server are as they should be."
        return self.worst.reason


def health(memory: Memory, server: Status) -> Health:
    """Look at the file, the model, the vectors, the copies and the server; milliseconds."""
    report = memory.health.health_report(thorough=False)
    checks = (_file(report), _model(report, memory.embedder.name), _vectors(report))
    rest = (*_mirrors(report), of_server(server), _copies(report, memory.db.clock()))
    return Health((*checks, *rest))


def of_server(server: Status) -> Check:
    """Say how the MCP server stands."""
    if server.serving:
        return Check("MCP server", "green", server.url.removeprefix("http://"))
    if server.state in ("taken", "failed"):
        return Check("MCP server", "red", "not served", server.reason)
    if server.state == "starting":
        return Check("MCP server", "amber", "starting", "It will answer in a moment.")
    return Check("MCP server", "amber", "stopped", "Start it on the page Server and settings.")


def _file(report: HealthReport) -> Check:
    """Say how the file is; what is wrong with the model or a mirror has its own place."""
    elsewhere = ("The embedding model", "The mirror")
    own = [each for each in report.problems if not each.what.startswith(elsewhere)]
    if own:
        return Check("Memory file", own[0].colour, own[0].what, own[0].way_out)
    return Check("Memory file", "green", size(report.file.size_bytes), report.file.path)


def _model(report: HealthReport, name: str) -> Check:
    vectors = report.vectors
    if vectors.model_state == "ready" and vectors.model_reason:
        reason = f"Searches answer by full text alone. {vectors.model_reason}"
        return Check("Embedding model", "amber", "failing", reason)
    if vectors.model_state == "ready":
        return Check("Embedding model", "green", "ready", name)
    if vectors.model_state in ("failed", "absent"):
        reason = f"Searches answer by full text alone. {vectors.model_reason}"
        return Check("Embedding model", "amber", vectors.model_state, reason)
    return Check("Embedding model", "amber", "loading", f"{name}; until then full text answers.")


def _vectors(report: HealthReport) -> Check:
    waiting = report.vectors.pending
    if not waiting:
        return Check("Vectors", "green", "level", "Every text has its vector.")
    reason = "They are found by full text meanwhile."
    return Check("Vectors", "amber", f"{format_count(waiting, 'text')} waiting", reason)


def _mirrors(report: HealthReport) -> list[Check]:
    """Say how a copy of the vectors elsewhere is, if there is to be one."""
    found = report.vectors.mirrors
    if not found:
        return []
    failing = [each.failure for each in found if each.failure]
    if failing:
        return [Check("Mirror", "amber", f"{found[0].name} fails", failing[0])]
    behind = sum(each.behind for each in found)
    word = f"{format_count(behind, 'change')} behind" if behind else "level"
    return [Check("Mirror", "green", word, "A copy for other programs; searches never use it.")]


def _copies(report: HealthReport, now: datetime) -> Check:
    """Say when the last copy was made; that there is none is no fault of the memory."""
    if not report.last_backup:
        return Check("Last backup", "green", "none yet", "backup_memory makes a proven copy.")
    made = datetime.fromtimestamp(Path(report.last_backup).stat().st_mtime, UTC)
    return Check("Last backup", "green", ago(made, now), report.last_backup)
