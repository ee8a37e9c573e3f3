"""Groups of entries with similar vectors."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ..base import Value
from .entries import Entry


class Group(Value):
    """A community of entries. An entry can be in several groups."""

    id: str = Field(description="Group ID; kept when the groups are rebuilt.")
    label: str = Field(description="Its distinctive tags, in lower case.")
    size: int = Field(description="Number of its entries visible to the caller.")
    created_at: datetime = Field(description="Time it was first built.")
    updated_at: datetime = Field(description="Time of the last change.")


class GroupList(Value):
    """Groups, largest first."""

    groups: list[Group]
    total: int = Field(description="Total number of groups.")
    next_offset: int = Field(description="Offset of the next page; -1 after the last page.")
    built_at: datetime | None = Field(None, description="Time of the last rebuild.")
    partial: str = Field("", description="Why the groups are incomplete; empty if complete.")
    stale: bool = Field(False, description="Whether entries changed since the last rebuild.")


class GroupMembers(Value):
    """The entries of a group, oldest first."""

    group: Group
    members: list[Entry]
    next_offset: int = Field(description="Offset of the next page; -1 after the last page.")


class EntryGroups(Value):
    """The groups that an entry is in."""

    entry_id: str = Field(description="Entry ID.")
    groups: list[Group]


class RebuiltGroups(Value):
    """The result of rebuilding the groups."""

    project_id: str = Field(description="Project ID.")
    user_id: str = Field("", description="User ID of the grouped entries, if any.")
    groups: int = Field(description="Number of groups after the rebuild.")
    kept: int = Field(description="Number of groups that kept an existing ID.")
    entries: int = Field(description="Number of entries compared.")
    pending: int = Field(description="Number of entries left out because they have no vector yet.")
    k: int = Field(description="Clique size k.")
    threshold: float = Field(description="Minimum cosine similarity of two entries in a group.")
    nearest: int = Field(
        0, description="Number of nearest neighbours compared per entry; 0: all similar entries."
    )
    cliques: int = Field(description="Number of cliques of size k - 2 visited.")
    partial: str = Field("", description="Why the groups are incomplete; empty if complete.")
    milliseconds: float = Field(description="Duration in milliseconds.")


class MapPoint(Value):
    """An entry as a point of a two-dimensional projection of the vectors."""

    id: str = Field(description="Entry ID.")
    summary: str = Field(description="Text.")
    category: str = Field(description="One of the five categories.")
    x: float = Field(description="Horizontal coordinate.")
    y: float = Field(description="Vertical coordinate.")
    group_ids: list[str] = Field(description="IDs of its groups, largest first.")


class MapGroup(Value):
    """A group in the projection."""

    id: str = Field(description="Group ID; a number for a group that is not stored.")
    label: str = Field(description="Its distinctive tags, in lower case.")
    size: int = Field(description="Number of entries.")
    cohesion: float = Field(description="Mean pairwise cosine similarity; 1: all identical.")
    overlaps: dict[str, int] = Field(description="Number of shared entries, by other group.")


class GroupMap(Value):
    """A two-dimensional projection of the entries of a project and user, with their groups."""

    points: list[MapPoint] = Field(
        description="Entries, oldest first; a sample if there are very many."
    )
    groups: list[MapGroup] = Field(description="Groups, largest first.")
    entries: int = Field(description="Number of entries with a vector.")
    ungrouped: int = Field(description="Number of entries in no group.")
    pending: int = Field(description="Number of entries without a vector yet, across all projects.")
    shown_variance: float = Field(
        description="Share of the total variance that two dimensions explain."
    )
    k: int = Field(description="Clique size k; 0: groups were never built.")
    threshold: float = Field(description="Minimum cosine similarity of two entries in a group.")
    built_at: datetime | None = Field(None, description="Time of the last rebuild.")
    partial: str = Field("", description="Why the groups are incomplete; empty if complete.")
    stale: bool = Field(False, description="Whether entries changed since the last rebuild.")
