"""Floors, targets and plain-hybrid figures of each suite."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """One figure of one suite: its floor, its target, and plain hybrid search's."""

    measure: str
    floor: float
    target: float
    plain: float


# (suite, scope) -> goals, the headline first. A suite not named here has none.
GOALS: dict[tuple[str, str], tuple[Goal, ...]] = {
    ("locomo-turns", "project"): (
        Goal("recall@10", 0.80, 0.84, 0.625),
        Goal("recall@5", 0.72, 0.76, 0.544),
        Goal("mrr", 0.62, 0.66, 0.453),
    ),
    ("locomo-turns", "all"): (Goal("recall@10", 0.76, 0.80, 0.571),),
    ("locomo-notes", "project"): (Goal("recall@10", 0.82, 0.85, 0.746),),
    ("beam-user", "project"): (Goal("recall@10", 0.68, 0.73, 0.658),),
    ("beam-all", "project"): (Goal("recall@10", 0.62, 0.68, 0.458),),
    ("precision", "project"): (
        Goal("precision", 0.30, 0.60, 0.09),
        Goal("recall", 0.95, 0.95, 1.0),
    ),
    ("devbench", "project"): (Goal("recall@5", 0.98, 1.0, 1.0),),
}


def goals(suite: str, scope: str) -> tuple[Goal, ...]:
    return GOALS.get((suite, scope), ())


def headline(suite: str, scope: str) -> str:
    """Return the measure that stands for the suite."""
    known = goals(suite, scope)
    return known[0].measure if known else "recall@10"


def verdict(goal: Goal, reached: float) -> str:
    """Say whether floor and target are met, and by how much the target is missed."""
    if reached >= goal.target:
        return "target met"
    met = "floor met" if reached >= goal.floor else "BELOW THE FLOOR"
    return f"{met}, {100 * (goal.target - reached):.1f} to the target"
