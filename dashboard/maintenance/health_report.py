"""How each part of the memory is, and what a close look or a repair found; as parts to show."""

from __future__ import annotations

from pathlib import Path

from memory_core.model.health import Checkup, HealthReport

from ..components.elements import Part, part
from ..components.formatting import counted, exact, number, size


def problem_parts(colour: str, what: str, way_out: str) -> Part:
    word = "wrong" if colour == "red" else "note"
    heading = part(
        "div", "line", part("span", f"chip {colour}", word), part("span", "strong", what)
    )
    return part("div", "item", heading, part("div", "faint", way_out))


def proof_parts(checkup: Checkup) -> list[Part]:
    """Say what was looked at and done, so that nobody has to believe it."""
    report = checkup.report
    at = f"Everything was read at {exact(report.checked_at)}."
    if not checkup.repaired:
        return [part("p", "faint", f"{at} {_verdict(report)}")]
    before = ", ".join(problem.what for problem in checkup.problems_before)
    return [
        part("h3", "", "The repair"),
        part("p", "faint", f"Found before: {before}"),
        part("p", "faint", f"A copy was made first: {checkup.backup}"),
        *[part("p", "", f"\u2713 {step}") for step in checkup.repaired],
        part("p", "", f"{at} {_verdict(report)}"),
    ]


def _verdict(report: HealthReport) -> str:
    left = len(report.problems)
    return f"{counted(left, 'problem')} left." if left else "No problem was found."


def figures_of(report: HealthReport) -> dict[str, list[tuple[str, str]]]:
    file, text, vectors, journal = report.file, report.text, report.vectors, report.journal

    def read(count: int) -> str:
        # At a quick look nobody has counted these.
        return number(count) if report.thorough else "not checked"

    return {
        "File": [
            ("Place", file.path),
            ("Size", f"{size(file.size_bytes)}, its log {size(file.wal_bytes)}"),
            ("Schema", f"{file.schema_version} of {file.known_schema_version}"),
            ("Integrity", "; ".join(file.integrity)),
            ("Broken references", read(file.broken_references)),
        ],
        "Full text": [
            ("Integrity", text.integrity),
            ("Pieces", number(text.pieces)),
            ("Rows, one for each piece", number(text.rows)),
            ("Unlike the tables", read(text.unlike_the_tables)),
            ("Orphans", read(text.orphans)),
        ],
        "Vectors": [
            ("Model", vectors.model or "none yet"),
            ("Its state", f"{vectors.model_state} {vectors.model_reason}".strip()),
            ("Stored", number(vectors.stored)),
            ("Waiting", number(vectors.pending)),
            ("Lost or damaged", read(vectors.lost + vectors.damaged)),
        ],
        "Journal": [
            ("Newest change", number(journal.newest_seq)),
            ("Made", exact(journal.newest_at) if journal.newest_at else "never"),
            ("Unlike the tables", read(journal.unlike_the_tables)),
            ("Out of order", read(journal.backwards)),
        ],
    }


def row_parts(listed: list[tuple[str, str]]) -> list[Part]:
    return [
        part(
            "div",
            "row tight",
            part("span", "faint", name),
            # Of a path the last part is enough to see; the rest is there on hover.
            part("span", "", Path(value).name if name == "Place" else value, title=value),
        )
        for name, value in listed
    ]
