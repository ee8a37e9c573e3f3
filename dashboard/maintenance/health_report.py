"""Health check results and repair report."""

from __future__ import annotations

from pathlib import Path

from memory_core.model.health import HealthCheckResult, HealthReport

from ..components.elements import Part, part
from ..components.formatting import exact, format_count, number, size


def problem_parts(colour: str, what: str, fix: str) -> Part:
    word = "wrong" if colour == "red" else "note"
    heading = part(
        "div", "line", part("span", f"chip {colour}", word), part("span", "strong", what)
    )
    return part("div", "item", heading, part("div", "faint", fix))


def proof_parts(checkup: HealthCheckResult) -> list[Part]:
    """Return the scope of the check and the repairs that were made."""
    report = checkup.report
    at = f"Full check at {exact(report.checked_at)}."
    if not checkup.repaired:
        return [part("p", "faint", f"{at} {_verdict(report)}")]
    before = ", ".join(problem.what for problem in checkup.problems_before)
    return [
        part("h3", "", "Repair"),
        part("p", "faint", f"Problems before: {before}"),
        part("p", "faint", f"Backup made first: {checkup.backup}"),
        *[part("p", "", f"\u2713 {step}") for step in checkup.repaired],
        part("p", "", f"{at} {_verdict(report)}"),
    ]


def _verdict(report: HealthReport) -> str:
    left = len(report.problems)
    return f"{format_count(left, 'problem')} left." if left else "No problems found."


def figures_of(report: HealthReport) -> dict[str, list[tuple[str, str]]]:
    file, text, vectors, journal = report.file, report.text, report.vectors, report.journal

    def checked(count: int) -> str:
        # The quick check does not count these.
        return number(count) if report.thorough else "not checked"

    return {
        "File": [
            ("Path", file.path),
            ("Size", f"{size(file.size_bytes)}, its log {size(file.wal_bytes)}"),
            ("Schema", f"{file.schema_version} of {file.known_schema_version}"),
            ("Integrity", "; ".join(file.integrity)),
            ("Broken references", checked(file.broken_references)),
        ],
        "Full-text index": [
            ("Integrity", text.integrity),
            ("Passages", number(text.pieces)),
            ("Index rows", number(text.rows)),
            ("Out of sync with tables", checked(text.unlike_the_tables)),
            ("Orphans", checked(text.orphans)),
        ],
        "Vectors": [
            ("Model", vectors.model or "none yet"),
            ("Model state", f"{vectors.model_state} {vectors.model_reason}".strip()),
            ("Stored", number(vectors.stored)),
            ("Pending", number(vectors.pending)),
            ("Missing or damaged", checked(vectors.lost + vectors.damaged)),
        ],
        "Audit log": [
            ("Newest change", number(journal.newest_seq)),
            ("Written", exact(journal.newest_at) if journal.newest_at else "never"),
            ("Out of sync with tables", checked(journal.unlike_the_tables)),
            ("Out of order", checked(journal.backwards)),
        ],
    }


def row_parts(listed: list[tuple[str, str]]) -> list[Part]:
    return [
        part(
            "div",
            "row tight",
            part("span", "faint", name),
            # Show the file name of a path; the full path is in the tooltip.
            part("span", "", Path(value).name if name == "Path" else value, title=value),
        )
        for name, value in listed
    ]
