"""Groups: entries that are about the same, as far as their vectors say."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ..base import Value
from .entries import Entry


class Group(Value):
    """A community of entries; an entry may be in several."""

    id: str = Field(description="Id of the group; it stays when groups are made anew.")
    label: str = Field(description="The tags that set it apart, in lower case.")
    size: int = Field(description="How many entries of it you may see.")
    created_at: datetime = Field(description="When it first appeared.")
    updated_at: datetime = Field(description="When it last changed.")


class GroupList(Value):
    """Groups, the largest first."""

    groups: list[Group]
    total: int = Field(description="How many groups there are.")
    next_offset: int = Field(description="The offset of the next page; -1 after the last.")
    built_at: datetime | None = Field(None, description="When groups were last made.")
    partial: str = Field("", description="Why they are not complete, if they are not.")
    stale: bool = Field(False, description="Whether entries changed since.")


class GroupMembers(Value):
    """The entries of a group, oldest first."""

    group: Group
    members: list[Entry]
    next_offset: int = Field(description="The offset of the next page; -1 after the last.")


class EntryGroups(Value):
    """The groups that an entry is in."""

    entry_id: str = Field(description="Id of the entry.")
    groups: list[Group]


class RebuiltGroups(Value):
    """What a rebuild made."""

    project_id: str = Field(description="The project.")
    user_id: str = Field("", description="The user whose entries were grouped, if any.")
    groups: int = Field(description="How many groups there are now.")
    kept: int = Field(description="How many of them go on under an id that was there.")
    entries: int = Field(description="How many entries were looked at.")
    pending: int = Field(description="Entries left out, for their vector is still to be made.")
    k: int = Field(description="How many entries, all alike, make a group.")
    threshold: float = Field(description="The cosine from which two entries are alike.")
    nearest: int = Field(
        0, description="Only so many of the nearest of each entry were looked at; 0: all alike."
    )
    cliques: int = Field(description="How many cliques of k - 2 entries were visited.")
    partial: str = Field("", description="Why the groups are not complete, if they are not.")
    milliseconds: float = Field(description="How long it took.")


class MapPoint(Value):
    """An entry on a map: what is near to it in meaning is near to it there."""

    id: str = Field(description="Id of the entry.")
    summary: str = Field(description="What it says.")
    category: str = Field(description="One of the five categories.")
    x: float = Field(description="Its place from left to right.")
    y: float = Field(description="Its place from bottom to top.")
    group_ids: list[str] = Field(description="Groups it is in, the largest first.")


class MapGroup(Value):
    """A group on a map."""

    id: str = Field(description="Id of the group; of one that was only tried, its number.")
    label: str = Field(description="The tags that set it apart, in lower case.")
    size: int = Field(description="How many entries are in it.")
    cohesion: float = Field(description="Mean cosine of its pairs; 1: all say the same.")
    overlaps: dict[str, int] = Field(description="Other groups and how many entries they share.")


class GroupMap(Value):
    """The entries of a project and user on a plane, and the groups that they form."""

    points: list[MapPoint] = Field(description="Entries, oldest first; of very many, a share.")
    groups: list[MapGroup] = Field(description="Groups, the largest first.")
    entries: int = Field(description="How many entries have a vector.")
    ungrouped: int = Field(description="How many of them are in no group.")
    pending: int = Field(description="Entries whose vector is still to be made, in all projects.")
    shown_variance: float = Field(description="Share of all differences that a plane can show.")
    k: int = Field(description="How many entries, all alike, make a group; 0: never made.")
    threshold: float = Field(description="The cosine from which two entries are alike.")
    built_at: datetime | None = Field(None, description="When groups were last made.")
    partial: str = Field("", description="Why the groups are not complete, if they are not.")
    stale: bool = Field(False, description="Whether entries changed since the groups were made.")
