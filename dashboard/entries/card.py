"""Render one entry as parts: text, owner, expiry and longer text."""

from __future__ import annotations

from datetime import datetime

from memory_core.model.facts.entries import ContextChunk, Entry

from ..components.elements import Part, part
from ..components.formatting import ago, day, exact, format_count
from ..tables import owner_names

STATUS = {"duplicate": "amber", "superseded": "blue"}


def entry_parts(entry: Entry, now: datetime) -> list[Part]:
    """Return the entry without its longer text."""
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
        part("div", "line faint", *_status_parts(entry, now)),
    ]
    parts += [
        part("div", "row tight", part("span", "faint", name), part("span", "", str(value)))
        for name, value in entry.metadata.items()
    ]
    return parts


def chunk_parts(chunks: list[ContextChunk]) -> list[Part]:
    return [
        part(
            "div",
            "item",
            part("div", "faint", f"chunk {chunk.position + 1}", title=exact(chunk.created_at)),
            part("div", "quote", chunk.text.strip("\n")),
        )
        for chunk in chunks
    ]


def _status_parts(entry: Entry, now: datetime) -> list[Part]:
    parts: list[Part] = [part("span", "", " \u00b7 ".join(owner_names(entry)))]
    if entry.updated_at:
        changed = f"changed {ago(entry.updated_at, now)}"
        parts.append(part("time", "", changed, title=exact(entry.updated_at)))
    if entry.expires_at:
        expires = f"expires {day(entry.expires_at)}"
        parts.append(part("time", "chip amber", expires, title=exact(entry.expires_at)))
    else:
        parts.append(part("span", "", "does not expire"))
    if entry.total_chunks:
        parts.append(part("span", "", format_count(entry.total_chunks, "chunk")))
    return parts
