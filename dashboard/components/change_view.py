"""Render one change: before, after and actor."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from memory_core.model.history import EntitySnapshot, Event, EventChange, RowChange

from .colours import SHAPES, Theme, mark
from .elements import Part, part
from .formatting import ago, exact, format_count, number, readable, shorten

LONGEST = 400
NAME = 140
FACTS = 12
# Each colour comes with a word and a sign.
SIGNS = {"added": ("+", "green"), "changed": ("~", "amber"), "removed": ("\u2212", "red")}
_COLOURS = {"created": "green", "deleted": "red", "archived": "amber"}
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
# Fields that tell what a row that came or went was, unless they say what is usual.
_TELLING = ("node_type", "aliases", "properties", "weight", "certainty", "occurred_at")
_PLAIN: tuple[JsonValue, ...] = (None, "", [], {}, 1.0, "confirmed")
_IDS = ("id", "key", "entity_id", "from_id", "to_id", "from_node_id", "to_node_id")
_HIDDEN = frozenset({"created_at", "digest", *_IDS})


def headline(what: str, title: Part, *, colour: str, at: datetime, now: datetime) -> Part:
    """Return what became of what, and when; a long title goes on under its own beginning."""
    return part(
        "div",
        "row",
        part("div", "inline", part("span", f"chip {colour}", what), " ", title),
        part("time", "faint number", ago(at, now), title=exact(at)),
    )


def colour_of(event: Event) -> str:
    """Return the colour of the word for what happened."""
    return next((c for word, c in _COLOURS.items() if word in event.event), "blue")


def row_parts(change: RowChange, now: datetime) -> Part:
    """Return what became of a row between two moments."""
    sign, colour = SIGNS[change.change]
    title = part(
        "span",
        "gone" if change.change == "removed" else "",
        shorten(change.title, NAME),
        pick=f"{change.project_id}\n{change.entity_id}",
    )
    what = f"{sign} {change.kind} {change.change}"
    head = headline(what, title, colour=colour, at=change.at, now=now)
    differences = (
        difference_parts(change.before, change.after)
        if change.change == "changed"
        else difference_parts(_telling(change.before), _telling(change.after))
    )
    signed = part(
        "div", "faint", f"{change.actor} \u00b7 {readable(change.cause)} \u00b7 {exact(change.at)}"
    )
    return part("article", "", head, *differences, signed)


def _telling(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return what is worth reading of a row that came or went; its name stands above."""
    return {name: fields[name] for name in _TELLING if fields.get(name) not in _PLAIN}


def event_parts(change: EventChange, now: datetime) -> Part:
    """Return one change of the past of an entity, with what it did."""
    event = change.event
    created, deleted = not change.before, not change.after
    colour = "green" if created else "red" if deleted else "amber"
    title = part("span", "", shorten(event.title, NAME))
    head = headline(event.event, title, colour=colour, at=event.at, now=now)
    inside = [] if created or deleted else difference_parts(change.before, change.after)
    signed = part("div", "faint", f"{event.actor} \u00b7 {readable(event.cause)}")
    return part("article", "", head, *inside, signed)


def timeline_parts(event: Event, now: datetime) -> Part:
    """Return one event of the timeline on two lines, with the links it offers."""
    pick = {"pick": f"{event.project_id}\n{event.entity_id}"} if event.entity_id else {}
    title = part("span", "", shorten(event.title, NAME), **pick)
    head = headline(event.event, title, colour=colour_of(event), at=event.at, now=now)
    signed = part(
        "div",
        "line faint",
        f"{event.actor} \u00b7 {readable(event.cause)} \u00b7 {exact(event.at)}",
        part("span", "", "undo", pick=f"undo\n{event.seq}", label=f"Undo: {event.event}"),
    )
    return part("article", "item", head, signed)


def difference_parts(before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]) -> list[Part]:
    """Return a line for each field that differs: its name, what it was, what it became."""
    # In a completely new row, nothing needs to be highlighted.
    changed = bool(before)
    before, after = _by_key(before), _by_key(after)
    names = [name for name in {**before, **after} if name not in _HIDDEN]
    return [
        part(
            "div",
            "line",
            part("span", "faint", readable(name)),
            *([part("del", "faint", format_value(before[name]))] if name in before else []),
            *([part("span", "faint", "\u2192")] if changed else []),
            part("span", "", format_value(after[name]))
            if name in after
            else part("em", "faint", "nothing"),
        )
        for name in names
        if before.get(name) != after.get(name)
    ]


def _by_key(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return each property as a field of its own, so that only those that differ are shown."""
    flat: dict[str, JsonValue] = {
        name: value for name, value in fields.items() if not isinstance(value, dict)
    }
    for name, value in fields.items():
        if isinstance(value, dict):
            flat |= {f"{name}: {key}": inner for key, inner in value.items()}
    return flat


def then_parts(then: EntitySnapshot, theme: Theme) -> list[Part]:
    """Return an entity as it was known at a moment."""
    entity = then.entity
    colour, shape = mark(entity.node_type, theme)
    archived = entity.status == "archived"
    active = [fact for fact in then.observations if fact.status == "active"]
    parts: list[Part] = [
        part("div", "strong", entity.name),
        part(
            "div",
            "line",
            part("span", "", f"{SHAPES[shape]} {entity.node_type}", colour=colour),
            *([part("span", "chip amber", "archived")] * archived),
            part("span", "faint", entity.certainty),
        ),
    ]
    if entity.aliases:
        parts.append(part("div", "faint", f"also {', '.join(entity.aliases)}"))
    parts += [
        part("div", "row tight", part("span", "faint", name), part("span", "", format_value(value)))
        for name, value in entity.properties.items()
    ]
    facts, edges = (
        format_count(len(active), "observation"),
        format_count(len(then.relations), "relation"),
    )
    parts.append(part("h3", "", f"{facts}, {edges}"))
    parts += [part("div", "item tight", shorten(fact.content, NAME)) for fact in active[:FACTS]]
    if len(active) > FACTS:
        parts.append(part("div", "faint", f"and {number(len(active) - FACTS)} more"))
    parts += [part("div", "tight faint", shorten(title, NAME)) for title in then.titles[:FACTS]]
    return parts


def format_value(value: JsonValue, longest: int = LONGEST) -> str:
    """Write a stored value as a person reads it."""
    if isinstance(value, str):
        moment = _STAMP.fullmatch(value)
        return exact(datetime.fromisoformat(value)) if moment else shorten(value, longest)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return shorten(", ".join(map(str, value)) or "none", longest)
    return shorten(json.dumps(value, ensure_ascii=False), longest)
