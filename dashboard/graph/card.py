"""Read-only view of one entity."""

from __future__ import annotations

from datetime import datetime

from memory_core.model.graph.entities import Observation
from memory_core.model.graph.graph_view import EntityCard, EntityCardRelation

from ..components.colours import SHAPES, Theme, mark
from ..components.elements import Part, part
from ..components.formatting import ago, day, exact, format_count, readable


def card_parts(card: EntityCard, now: datetime, theme: Theme) -> list[Part]:
    entity = card.entity
    colour, shape = mark(entity.node_type, theme)
    known_as = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    archived = entity.status == "archived"
    parts: list[Part] = [
        part("h2", "gone" if archived else "", entity.name),
        part(
            "div",
            "line",
            part("span", "", f"{SHAPES[shape]} {entity.node_type}", colour=colour),
            part("span", "faint", entity.project_id),
            *([part("span", "chip amber", "archived", title=entity.archive_reason)] * archived),
        ),
        part("p", "faint", known_as),
        part(
            "p",
            "faint",
            f"since {day(entity.created_at)} \u00b7 changed by {card.actor} \u00b7 "
            f"{format_count(card.changes, 'change')} in its history",
            title=exact(entity.updated_at),
        ),
    ]
    if entity.properties:
        rows = [
            part("div", "row tight", part("span", "faint", name), part("span", "", str(value)))
            for name, value in entity.properties.items()
        ]
        parts += [part("h3", "", "Properties"), *rows]
    shown, total = len(card.observations), card.observation_count
    parts.append(part("h3", "", _heading(shown, total, "observation")))
    parts += [_observation(fact, now) for fact in card.observations]
    shown, total = len(card.relations), card.relation_count
    parts.append(part("h3", "", _heading(shown, total, "relation")))
    parts += [_relation(edge, theme) for edge in card.relations]
    return parts


def _heading(shown: int, total: int, one: str) -> str:
    more = f", the newest {shown}" if shown < total else ", newest first" if total > 1 else ""
    return format_count(total, one) + more


def _observation(fact: Observation, now: datetime) -> Part:
    said = fact.occurred_at or fact.created_at
    sure = "" if fact.certainty == "confirmed" else f" \u00b7 {fact.certainty}"
    source = f" \u00b7 {fact.source}" if fact.source else ""
    return part(
        "div",
        "item",
        part("div", "quote", fact.content),
        part("div", "faint", f"{ago(said, now)}{source}{sure}", title=exact(said)),
    )


def _relation(edge: EntityCardRelation, theme: Theme) -> Part:
    arrow = "\u2192" if edge.outgoing else "\u2190"
    colour, shape = mark(edge.other.node_type, theme)
    return part(
        "div",
        "line tight",
        part("span", "faint", f"{arrow} {readable(edge.relation.relationship_type)}"),
        part("span", "", SHAPES[shape], colour=colour, title=edge.other.node_type),
        part("span", "", edge.other.name, pick=f"{edge.other.project_id}\n{edge.other.id}"),
    )
