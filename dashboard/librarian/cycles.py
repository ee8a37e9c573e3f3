"""Runs of the librarian as sentences, parts and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import pandas as pd

from memory_core.model.graph.discovery import BackgroundStatus
from memory_core.model.graph.librarian import ConceptView, Cycle, LibrarianReport, Suggestion

from ..components.elements import Part, part
from ..components.formatting import ago, counted, exact, milliseconds, number, readable, shortened

CONCEPTS = ("made", "grown", "shrunk", "changed", "restored", "retired")
COLOUR = {"done": "green", "unchanged": "", "running": "blue", "failed": "red"}
LONGEST = 120


def what_it_did(cycle: Cycle) -> str:
    """Say what a run made and noticed: "4 relations, 1 concept, 2 possible duplicates"."""
    counts = cycle.counts
    found = (
        (counts.get("relations_made", 0), "relation", ""),
        (concepts_of(cycle), "concept", ""),
        (counts.get("duplicates", 0), "possible duplicate", ""),
        (counts.get("contradictions", 0), "contradiction", ""),
        (counts.get("suggestions_new", 0), "new suggestion", ""),
    )
    said = [counted(count, one, many) for count, one, many in found if count]
    return ", ".join(said) or "nothing new"


def concepts_of(cycle: Cycle) -> int:
    """Return how many concepts a run changed."""
    return sum(cycle.counts.get(f"concepts_{change}", 0) for change in CONCEPTS)


def last_parts(cycle: Cycle, now: datetime) -> list[Part]:
    """Return the last run in one line."""
    by = f"by {cycle.actor}"
    # While it runs there is neither a duration nor a result to tell of.
    ended = [milliseconds(cycle.milliseconds), what_it_did(cycle)]
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
    """Say whether relations are looked for by themselves, how often, and which process does it."""
    if not status.enabled:
        return [part("p", "faint", "Relations are not looked for in the background.")]
    every = f"every {number(status.interval_seconds)} s, from {status.similarity_threshold:.2f} on"
    who = f"by {status.holder}" if status.running else "by no process at the moment"
    due = status.next_at
    when = "due now" if due is None or due <= now else f"next at {exact(due)}"
    return [part("p", "faint", f"Relations are looked for {every}, {who}; {when}.")]


def cycles_table(cycles: Sequence[Cycle], now: datetime) -> pd.DataFrame:
    """Return runs with what each found and did."""
    counts = [cycle.counts for cycle in cycles]
    return pd.DataFrame(
        {
            "Cycle": [cycle.id for cycle in cycles],
            "When": [ago(cycle.started_at, now) for cycle in cycles],
            "By": [cycle.actor for cycle in cycles],
            "Took": [milliseconds(cycle.milliseconds) for cycle in cycles],
            "Ended": [ended(cycle) for cycle in cycles],
            "Clusters": [each.get("clusters", 0) for each in counts],
            "Concepts": [concepts_of(cycle) for cycle in cycles],
            "Relations": [each.get("relations_made", 0) for each in counts],
            "Duplicates": [each.get("duplicates", 0) for each in counts],
            "Suggestions": [each.get("suggestions_new", 0) for each in counts],
            "Changes": [changes_of(cycle) for cycle in cycles],
            "Kind": [cycle.kind for cycle in cycles],
            "Project": [cycle.project_id for cycle in cycles],
            "Exactly": [exact(cycle.started_at) for cycle in cycles],
        }
    )


def ended(cycle: Cycle) -> str:
    return f"{cycle.status}, dry run" if cycle.dry_run else cycle.status


def changes_of(cycle: Cycle) -> str:
    """Return the numbers of the first and the last change a run made."""
    if cycle.first_seq is None or cycle.last_seq is None:
        return "none"
    if cycle.first_seq == cycle.last_seq:
        return f"no. {cycle.first_seq}"
    return f"no. {cycle.first_seq}\u2013{cycle.last_seq}"


def counts_table(cycle: Cycle) -> pd.DataFrame:
    """Return everything a run counted."""
    return pd.DataFrame(
        {
            "Counted": [readable(name) for name in cycle.counts],
            "How many": list(cycle.counts.values()),
        }
    )


def report_parts(report: LibrarianReport) -> list[Part]:
    """Return what a run found, list by list."""
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
        part("p", "faint", f"{what_it_did(report.cycle)}; {_left_out(report)}"),
    ]
    for heading, items in lists:
        if items:
            shown += [part("h3", "", heading), part("ul", "", *items)]
    return shown


def concept_parts(concept: ConceptView) -> Part:
    """Return one concept with its members, each of them a link."""
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
        part("span", "faint number", counted(concept.member_count, "member")),
    )
    return part("article", "item", head, part("div", "line", *members))


def undo_words(reverted: dict[str, int], names: Iterable[str]) -> str:
    """Say what an undo would put back, and what it would leave alone."""
    rows = ", ".join(counted(count, readable(kind)) for kind, count in reverted.items())
    left = ", ".join(shortened(name, LONGEST) for name in names)
    said = f"It would put back: {rows or 'nothing'}."
    return f"{said} Changed since, and left as they are: {left}." if left else said


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
        shortened(first_said, LONGEST),
        part("span", "faint", relation),
        shortened(second_said, LONGEST),
        part("span", "faint number", f" {found.similarity:.2f}"),
    )


def _left_out(report: LibrarianReport) -> str:
    orphans = counted(report.orphans, "entity has", "entities have")
    said = f"{orphans} no relation at all"
    if not (report.duplicates or report.contradictions or report.relations):
        said += "; nothing is new that is not in the review already"
    if report.truncated:
        said += "; the lists are cut, the counts are not"
    return f"{said}. {report.notice}".strip()
