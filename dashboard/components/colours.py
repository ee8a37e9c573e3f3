"""
One colour and one shape for each entity type, the same on every page.

1. Types of one family share a colour; within a family the shape tells them apart.
2. The twelve colours stem from Okabe and Ito's and Paul Tol's sets, which people with any
   colour vision can tell apart. Each has a form for the light and one for the dark theme, in
   which a word can be read as well.
3. A type that is not listed is grey. A colour always comes with its word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Theme = Literal["light", "dark"]
ColourBy = Literal["type", "community", "change"]


class Sign(NamedTuple):
    """How something is marked that was added, changed or removed."""

    colour: str
    sign: str


class Mark(NamedTuple):
    """How a type is drawn."""

    colour: str
    shape: str


# Shapes that vis-network draws itself, with the character that stands for each in text.
SHAPES: Mapping[str, str] = {
    "dot": "\u25cf",
    "square": "\u25a0",
    "triangle": "\u25b2",
    "diamond": "\u25c6",
    "star": "\u2605",
    "triangleDown": "\u25bc",
    "hexagon": "\u2b22",
}

# Family: colour in the light theme, in the dark theme, its types in the order of the shapes.
FAMILIES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "people": ("#0068a8", "#5ab0e8", ("person", "role", "skill")),
    "groups": ("#3d2f9e", "#a596f5", ("team", "organization")),
    "system": ("#bd4c08", "#ff8f52", ("service", "component", "environment")),
    "tools": ("#8f6300", "#e3b341", ("technology", "library", "tool", "model")),
    "work": ("#117733", "#5fbf7f", ("project", "feature", "task", "goal", "requirement", "test")),
    "ideas": ("#9a3596", "#dd8fd6", ("concept", "decision", "pattern", "solution", "topic")),
    "trouble": ("#a3123f", "#f0708f", ("problem", "bug", "incident", "question")),
    "time": ("#b34a5a", "#f7b0b8", ("event", "release", "change")),
    "sessions": ("#2474a6", "#a5dcff", ("session", "breakthrough", "conversation", "message")),
    "texts": ("#767618", "#d2d268", ("document", "note", "source", "file")),
    "numbers": ("#1e7b71", "#5fcdbd", ("metric", "dataset")),
    "life": ("#7a4b2a", "#cfa07a", ("place", "preference", "hobby", "animal")),
}

# What became of a thing between two moments; the sign stands wherever the colour does.
BECAME: Mapping[str, tuple[str, str, str]] = {
    "added": ("#117733", "#5fbf7f", "+"),
    "changed": ("#8f6300", "#e3b341", "~"),
    "removed": ("#a3123f", "#f0708f", "\u2212"),
    "": ("#7a8494", "#7f8a9b", ""),
}

UNKNOWN = {"light": "#6b7280", "dark": "#9ca3af"}

_PLACES = {
    name: (family, shape)
    for family, (_, _, names) in FAMILIES.items()
    for name, shape in zip(names, SHAPES, strict=False)
}


def mark(node_type: str, theme: Theme) -> Mark:
    """Return how entities of a type are drawn; an unknown type is a grey dot."""
    family, shape = _PLACES.get(node_type, ("", "dot"))
    if not family:
        return Mark(UNKNOWN[theme], shape)
    light, dark, _ = FAMILIES[family]
    return Mark(dark if theme == "dark" else light, shape)


def became_mark(became: str, theme: Theme) -> Sign:
    """Return the colour and the sign of what became of a thing."""
    light, dark, sign = BECAME[became]
    return Sign(dark if theme == "dark" else light, sign)


def community_colour(number: int, theme: Theme) -> str:
    """Return the colour of a community: the largest have one each, all further ones are grey."""
    if not 0 <= number < len(FAMILIES):
        return UNKNOWN[theme]
    light, dark, _ = list(FAMILIES.values())[number]
    return dark if theme == "dark" else light
