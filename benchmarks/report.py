"""Results as a table for people and as JSON for the next run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .goals import Goal, verdict
from .metrics import (
    COLUMNS,
    FRACTIONS,
    Comparison,
    Record,
    as_json,
    from_json,
    percentile,
)

NAME = 42
Figures = Mapping[str, float]


def heading() -> str:
    return f"{'':<{NAME}}" + "".join(f"{name:>11}" for name in COLUMNS)


def line(name: str, figures: Figures) -> str:
    """Return one row of the table: percentages, and fractions where that is usual."""
    return f"{name:<{NAME}}" + "".join(
        f"{figures[column]:>11.3f}" if column in FRACTIONS else f"{100 * figures[column]:>11.1f}"
        for column in COLUMNS
    )


def goal_line(goal: Goal, reached: float) -> str:
    return (
        f"{goal.measure}: {format_figure(goal.measure, reached)}"
        f"  (plain hybrid {format_figure(goal.measure, goal.plain)},"
        f" floor {format_figure(goal.measure, goal.floor)},"
        f" target {format_figure(goal.measure, goal.target)})"
        f"  {verdict(goal, reached)}"
    )


def format_figure(measure: str, value: float) -> str:
    """Return a figure as it is written: recall in percent, the others as fractions."""
    return (
        f"{100 * value:.1f}" if measure.startswith(("recall@", "hit@", "all@")) else f"{value:.3f}"
    )


def stage_lines(stages: Mapping[str, Sequence[float]]) -> list[str]:
    """Return p50 and p95 in milliseconds, the slowest stage first."""
    ordered = sorted(stages, key=lambda name: -percentile(stages[name], 0.5))
    return [
        f"  {name:<20} p50 {percentile(stages[name], 0.5):>8.2f}"
        f"  p95 {percentile(stages[name], 0.95):>8.2f} ms"
        for name in ordered
    ]


def comparison_line(measure: str, found: Comparison) -> str:
    sure = "certain" if found.is_certain else "not certain"
    return (
        f"{measure}: {100 * found.gain:+.2f} points"
        f" [{100 * found.low:+.2f}, {100 * found.high:+.2f}]"
        f" over {found.questions} questions, {sure}"
    )


def write(path: Path, result: Mapping[str, object], records: Sequence[Record]) -> None:
    """Write a result with the rank of every gold row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {**result, "records": [as_json(record) for record in records]}
    path.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", "utf-8")


def read_records(path: Path) -> list[Record]:
    """Return the records of a result file."""
    return [from_json(record) for record in json.loads(path.read_text("utf-8"))["records"]]
