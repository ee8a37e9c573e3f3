"""Data frames for the tables of all pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from memory_core.model.documents import Document
from memory_core.model.facts.entries import Entry
from memory_core.model.facts.groups import GroupMap, MapGroup
from memory_core.model.graph.graph_view import GraphMap
from memory_core.model.maintenance import OptimizeResult
from memory_core.model.search.results import SearchHit
from memory_core.model.setting import Setting

from .components.formatting import ago, exact, number, readable, size


def entities_table(drawn: GraphMap, communities: Mapping[int, str]) -> pd.DataFrame:
    """Return the nodes of a map, in its order."""
    columns = {
        "Name": [node.name for node in drawn.nodes],
        "Type": [node.node_type for node in drawn.nodes],
        "Project": [node.project_id for node in drawn.nodes],
        "Status": [node.status for node in drawn.nodes],
        "Relations": [node.degree for node in drawn.nodes],
        "Observations": [node.observations for node in drawn.nodes],
        "Salience": [node.salience for node in drawn.nodes],
        "Hops": [node.distance for node in drawn.nodes],
        "Community": [communities.get(node.community, "none") for node in drawn.nodes],
        "Created": [exact(node.created_at) for node in drawn.nodes],
        "Changed": [exact(node.updated_at) for node in drawn.nodes],
        "Id": [node.id for node in drawn.nodes],
    }
    if not communities:
        columns.pop("Community")
    if not any(node.distance for node in drawn.nodes):
        columns.pop("Hops")
    return pd.DataFrame(columns)


def relations_table(drawn: GraphMap) -> pd.DataFrame:
    """Return the edges of a map."""
    names = {node.row_id: node.name for node in drawn.nodes}
    return pd.DataFrame(
        {
            "From": [names[edge.from_row_id] for edge in drawn.edges],
            "Relation": [readable(edge.relationship_type) for edge in drawn.edges],
            "To": [names[edge.to_row_id] for edge in drawn.edges],
            "Weight": [edge.weight for edge in drawn.edges],
        }
    )


def hits_table(hits: Sequence[SearchHit]) -> pd.DataFrame:
    """Return search hits with the rank and score of each channel."""
    return pd.DataFrame(
        {
            "Rank": list(range(1, len(hits) + 1)),
            "Score": [hit.score for hit in hits],
            "Kind": [hit.kind for hit in hits],
            "About": [title_of(hit) for hit in hits],
            "Passage": [hit.text for hit in hits],
            "Vector rank": [_rank(hit, "vector_rank") for hit in hits],
            "Cosine": [_score(hit, "vector_score") for hit in hits],
            "Lexical rank": [_rank(hit, "lexical_rank") for hit in hits],
            "bm25": [_score(hit, "lexical_score") for hit in hits],
            "Id": [hit.id for hit in hits],
        }
    )


def settings_table(settings: Iterable[Setting]) -> pd.DataFrame:
    """Return the settings, configured ones first."""
    rows = sorted(settings, key=lambda each: (each.origin == "default", each.name))
    return pd.DataFrame(
        {
            "Setting": [each.name for each in rows],
            "Value": [each.value or "(unset)" for each in rows],
            "From": [each.origin for each in rows],
            "Default": [each.default or "(unset)" for each in rows],
            "Allowed values": [each.rule for each in rows],
            "Description": [each.description for each in rows],
        }
    )


def sizes_table(done: OptimizeResult) -> pd.DataFrame:
    """Return the sizes of a memory before and after optimization."""
    before, after = done.before.model_dump(), done.after.model_dump()
    write = {name: size if name.endswith("bytes") else number for name in before}
    return pd.DataFrame(
        {
            "Part": [readable(name.removesuffix("_bytes")) for name in before],
            "Before": [write[name](count) for name, count in before.items()],
            "After": [write[name](count) for name, count in after.items()],
        }
    )


def backups_table(listed: Sequence[Path], now: datetime) -> pd.DataFrame:
    """Return backups, in the order given."""
    states = [path.stat() for path in listed]
    made = [datetime.fromtimestamp(each.st_mtime, UTC) for each in states]
    return pd.DataFrame(
        {
            "Backup": [path.name for path in listed],
            "Created": [ago(moment, now) for moment in made],
            "Time": [exact(moment) for moment in made],
            "Size": [size(each.st_size) for each in states],
        }
    )


def documents_table(
    documents: Sequence[Document], now: datetime, *, every_project: bool
) -> pd.DataFrame:
    """Return documents, in the order given; the project only for all projects."""
    columns = {
        "Title": [each.title for each in documents],
        "Changed": [ago(each.updated_at, now) for each in documents],
        "Chunks": [each.chunk_count for each in documents],
        "Characters": [each.characters for each in documents],
        "Project": [each.project_id for each in documents],
        "Source": [each.source for each in documents],
    }
    if not every_project:
        columns.pop("Project")
    if not any(each.source for each in documents):
        columns.pop("Source")
    return pd.DataFrame(columns)


def entries_table(entries: Sequence[Entry], now: datetime) -> pd.DataFrame:
    """Return entries, in the order given."""
    return pd.DataFrame(
        {
            "Text": [each.summary for each in entries],
            "Tags": [each.tags for each in entries],
            "Category": [each.category for each in entries],
            "Changed": [ago(each.updated_at, now) if each.updated_at else "" for each in entries],
            "Expires": [exact(each.expires_at)[:10] if each.expires_at else "" for each in entries],
            "Chunks": [each.total_chunks for each in entries],
            "Status": [each.status for each in entries],
            "Owner": [" \u00b7 ".join(owner_names(each)) for each in entries],
        }
    )


def groups_table(drawn: GroupMap, page: Sequence[MapGroup]) -> pd.DataFrame:
    """Return one page of the groups of a map."""
    labels = {group.id: group.label for group in drawn.groups}
    return pd.DataFrame(
        {
            "Group": [group.label for group in page],
            "Entries": [group.size for group in page],
            "Cohesion": [round(group.cohesion, 2) for group in page],
            "Overlaps": [
                ", ".join(f"{labels[id]} ({count})" for id, count in group.overlaps.items())
                for group in page
            ],
        }
    )


def points_table(drawn: GroupMap) -> pd.DataFrame:
    """Return the entries of a group map."""
    labels = {group.id: group.label for group in drawn.groups}
    return pd.DataFrame(
        {
            "Text": [point.summary for point in drawn.points],
            "Groups": ["; ".join(labels[id] for id in point.group_ids) for point in drawn.points],
            "Category": [point.category for point in drawn.points],
            "x": [point.x for point in drawn.points],
            "y": [point.y for point in drawn.points],
        }
    )


def owner_names(entry: Entry) -> list[str]:
    """Return the parts of an entry's scope that are set, the project first."""
    scope = (entry.project_id, entry.user_id, entry.agent_id, entry.session_id)
    return [name for name in scope if name]


def title_of(hit: SearchHit) -> str:
    """Return the title of a hit: its entity, entry, document or kind."""
    if hit.entity:
        return hit.entity.name
    if hit.entry and hit.entry.position >= 0:
        return hit.entry.summary
    return hit.document.title if hit.document else hit.kind


def _rank(hit: SearchHit, name: str) -> int | None:
    return (getattr(hit.explain, name) or None) if hit.explain else None


def _score(hit: SearchHit, name: str) -> float | None:
    return getattr(hit.explain, name) if _rank(hit, name.replace("score", "rank")) else None
