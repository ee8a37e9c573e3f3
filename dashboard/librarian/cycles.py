"""Summaries and tables of librarian cycles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import pandas as pd

from memory_core.model.graph.discovery import BackgroundStatus
from memory_core.model.graph.librarian import ConceptView, Cycle, LibrarianReport, Suggestion

from ..components.elements import Part, part
from ..components.formatting import (
    ago,
    exact,
    format_count,
    milliseconds,
    number,
    readable,
    shorten,
)

CONCEPTS = ("made", "grown", "shrunk", "changed", "restored", "retired")
COLOUR = {"done": "green", "unchanged": "", "running": "blue", "failed": "red"}
LONGEST = 120


def summarize_cycle(cycle: Cycle) -> str:
    """Summarize a cycle: "4 relations, 1 concept, 2 possible duplicates"."""
    counts = cycle.counts
    found = (
        (counts.get("relations_made", 0), "relation", ""),
        (concepts_of(cycle), "concept", ""),
        (counts.get("duplicates", 0), "possible duplicate", ""),
        (counts.get("contradictions", 0), "contradiction", ""),
        (counts.get("suggestions_new", 0), "new suggestion", ""),
    )
    said = [format_count(count, one, many) for count, one, many in found if count]
    return ", ".join(said) or "nothing new"


def concepts_of(cycle: Cycle) -> int:
    return sum(cycle.counts.get(f"concepts_{change}", 0) for change in CONCEPTS)


def last_parts(cycle: Cycle, now: datetime) -> list[Part]:
    by = f"by {cycle.actor}"
    # A running cycle has neither a duration nor a result.
    ended = [milliseconds(cycle.milliseconds), summarize_cycle(cycle)]
    said = [by] if cycle.status == "running" else [*ended, by]
    dry = [part("span", "chip", "dry run")] if cycle.dry_run else []
    line = part(
        "div",
        "line",
        part("span", "", "last cycle"),
        part("time", "", ago(cycle.started_at, now), title=exact(cycle.started_at)),
        part("span", f"chip {COLOUR.get(cycle.status, 'amber')}", cycle.status),
        *dry,
        part("span", "faint", " \u00b7 ".join(said)),
    )
    return [line, *([part("p", "faint", cycle.error)] if cycle.error else [])]


def background_parts(status: BackgroundStatus, now: datetime) -> list[Part]:
    """Describe background discovery: interval, threshold, process and next run."""
    if not status.enabled:
        return [part("p", "faint", "Background discovery is off.")]
    every = f"every {number(status.interval_seconds)} s"
    above = f"similarity {status.similarity_threshold:.2f} or higher"
    who = f"by {status.holder}" if status.running else "by no process at the moment"
    due = status.next_at
    when = "due now" if due is None or due <= now else f"next at {exact(due)}"
    return [part("p", "faint", f"Background discovery runs {every}, {above}, {who}; {when}.")]


def cycles_table(cycles: Sequence[Cycle], now: datetime) -> pd.DataFrame:
    counts = [cycle.counts for cycle in cycles]
    return pd.DataFrame(
        {
            "Cycle": [cycle.id for cycle in cycles],
            "When": [ago(cycle.started_at, now) for cycle in cycles],
            "Client": [cycle.actor for cycle in cycles],
            "Duration": [milliseconds(cycle.milliseconds) for cycle in cycles],
            "Outcome": [outcome(cycle) for cycle in cycles],
            "Clusters": [each.get("clusters", 0) for each in counts],
            "Concepts": [concepts_of(cycle) for cycle in cycles],
            "Relations": [each.get("relations_made", 0) for each in counts],
            "Duplicates": [each.get("duplicates", 0) for each in counts],
            "Suggestions": [each.get("suggestions_new", 0) for each in counts],
            "Changes": [changes_of(cycle) for cycle in cycles],
            "Kind": [cycle.kind for cycle in cycles],
            "Project": [cycle.project_id for cycle in cycles],
            "Started": [exact(cycle.started_at) for cycle in cycles],
        }
    )


def outcome(cycle: Cycle) -> str:
    return f"{cycle.status}, dry run" if cycle.dry_run else cycle.status


def changes_of(cycle: Cycle) -> str:
    """Return the sequence numbers of the first and last change of a cycle."""
    if cycle.first_seq is None or cycle.last_seq is None:
        return "none"
    if cycle.first_seq == cycle.last_seq:
        return f"no. {cycle.first_seq}"
    return f"no. {cycle.first_seq}\u2013{cycle.last_seq}"


def counts_table(cycle: Cycle) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Counter": [readable(name) for name in cycle.counts],
            "Count": list(cycle.counts.values()),
        }
    )


def report_parts(report: LibrarianReport) -> list[Part]:
    concepts = [
        part("li", "", part("span", "chip blue", each.change), f" {each.name} ({each.members})")
        for each in report.concepts
    ]
    lists = [
        ("Concepts", concepts),
        ("Possible duplicates", [_pair(each) for each in report.duplicates]),
        ("Contradictions", [_pair(each) for each in report.contradictions]),
        ("Relations", [_pair(each) for each in report.relations]),
    ]
    shown: list[Part] = [
        part("h2", "", report.cycle.project_id),
        part("p", "faint", f"{summarize_cycle(report.cycle)}; {_left_out(report)}"),
    ]
    for heading, items in lists:
        if items:
            shown += [part("h3", "", heading), part("ul", "", *items)]
    return shown


def concept_parts(concept: ConceptView) -> Part:
    """Return one concept with links to its members."""
    members: list[Part] = [
        part("span", "", each.name, pick=f"{concept.project_id}\n{each.id}", title=each.node_type)
        for each in concept.members
    ]
    if concept.member_count > len(concept.members):
        more = concept.member_count - len(concept.members)
        members.append(part("span", "faint", f"and {number(more)} more"))
    head = part(
        "div",
        "row",
        part("span", "strong", concept.name, pick=f"{concept.project_id}\n{concept.id}"),
        part("span", "faint number", format_count(concept.member_count, "member")),
    )
    return part("article", "item", head, part("div", "line", *members))


def describe_undo(reverted: dict[str, int], names: Iterable[str]) -> str:
    """Describe the effect of an undo, and the rows it would skip."""
    rows = ", ".join(format_count(count, readable(kind)) for kind, count in reverted.items())
    left = ", ".join(shorten(name, LONGEST) for name in names)
    said = f"Would revert: {rows or 'nothing'}."
    return f"{said} Modified since, skipped: {left}." if left else said


def _pair(found: Suggestion) -> Part:
    relation = f" {readable(found.relation_type)} " if found.relation_type else " ~ "
    first, second = found.first, found.second
    if first.observation_id:
        first_said, second_said = first.content, second.content
    else:
        first_said, second_said = first.name, second.name
    return part(
        "li",
        "",
        shorten(first_said, LONGEST),
        part("span", "faint", relation),
        shorten(second_said, LONGEST),
        part("span", "faint number", f" {found.similarity:.2f}"),
    )


def _left_out(report: LibrarianReport) -> str:
    orphans = format_count(report.orphans, "entity has", "entities have")
    said = f"{orphans} no relation"
    if not (report.duplicates or report.contradictions or report.relations):
        said += "; all findings are already in the review"
    if report.truncated:
        said += "; lists are shortened, counts are complete"
    return f"{said}. {report.notice}".strip()
