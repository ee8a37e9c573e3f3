"""One entry as parts to show: what it says, whose it is, how long it stays."""

from __future__ import annotations

from datetime import datetime

from memory_core.model.facts.entries import ContextChunk, Entry

from ..components.elements import Part, part
from ..components.formatting import ago, counted, day, exact
from ..tables import whose

STATUS = {"duplicate": "amber", "superseded": "blue"}


def entry_parts(entry: Entry, now: datetime) -> list[Part]:
    """Return an entry without its longer text."""
    marked = entry.status in STATUS
    parts: list[Part] = [
        part(
            "h3" if marked else "h2", "gone" if entry.status == "duplicate" else "", entry.summary
        ),
        part(
            "div",
            "line",
            *([part("span", f"chip {STATUS[entry.status]}", entry.status)] if marked else []),
            part("span", "chip blue", entry.category),
            *[part("span", "chip", tag) for tag in entry.tags],
        ),
        part("div", "line faint", *_standing(entry, now)),
    ]
    parts += [
        part("div", "row tight", part("span", "faint", name), part("span", "", str(value)))
        for name, value in entry.metadata.items()
    ]
    return parts


def chunk_parts(chunks: list[ContextChunk]) -> list[Part]:
    """Return some of an entry's longer text."""
    return [
        part(
            "div",
            "item",
            part("div", "faint", f"chunk {chunk.position + 1}", title=exact(chunk.created_at)),
            part("div", "quote", chunk.text.strip("\n")),
        )
        for chunk in chunks
    ]


def _standing(entry: Entry, now: datetime) -> list[Part]:
    said: list[Part] = [part("span", "", " \u00b7 ".join(whose(entry)))]
    if entry.updated_at:
        changed = f"changed {ago(entry.updated_at, now)}"
        said.append(part("time", "", changed, title=exact(entry.updated_at)))
    if entry.expires_at:
        goes = f"goes on {day(entry.expires_at)}"
        said.append(part("time", "chip amber", goes, title=exact(entry.expires_at)))
    else:
        said.append(part("span", "", "stays"))
    if entry.total_chunks:
        said.append(part("span", "", counted(entry.total_chunks, "chunk")))
    return said
