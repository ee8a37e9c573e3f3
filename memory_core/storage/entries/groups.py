"""Groups of entries, their members and their last build. Not tracked."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from apsw import Connection

from ...model.scope import Scope
from ..scoping import bound_of

# Members outside the caller's scope are not counted.
_SEEN = """
    e.project_id = :project_id and e.user_id = :user_id and e.status = 'active'
    and (:agent_id = '' or e.agent_id = :agent_id)
    and (:session_id = '' or e.session_id = :session_id)
    and (e.expires_at is null or e.expires_at > :now)"""

_OF_ENTRIES = """
select entry_id, group_id
from group_members
where entry_id in (select value from json_each(:ids))
order by group_id
"""

_LIST = f"""
select g.id, g.label, count(*) as size, g.created_at, g.updated_at
from groups g
    join group_members m on m.group_id = g.id
    join entries e on e.id = m.entry_id
where g.project_id = :project_id and g.user_id = :user_id and {_SEEN}
group by g.id
order by count(*) desc, g.id
limit :limit offset :offset
"""

_COUNT = f"""
select count(distinct g.id)
from groups g
    join group_members m on m.group_id = g.id
    join entries e on e.id = m.entry_id
where g.project_id = :project_id and g.user_id = :user_id and {_SEEN}
"""

_ONE = f"""
select g.id, g.label, count(*) as size, g.created_at, g.updated_at
from groups g
    join group_members m on m.group_id = g.id
    join entries e on e.id = m.entry_id
where g.id = :id and g.project_id = :project_id and g.user_id = :user_id and {_SEEN}
group by g.id
"""

_MEMBER_IDS = f"""
select e.id
from group_members m join entries e on e.id = m.entry_id
where m.group_id = :id and {_SEEN}
order by e.created_at, e.id
limit :limit offset :offset
"""

_MEMBERS = """
select m.group_id, m.entry_id
from groups g join group_members m on m.group_id = g.id
where g.project_id = :project_id and g.user_id = :user_id
"""

_LABELS = """
select id, label from groups where project_id = :project_id and user_id = :user_id
"""

_TAGS = """
select t.entry_id, t.folded
from entries e join entry_tags t on t.entry_id = e.id
where e.project_id = :project_id and e.user_id = :user_id and e.status = 'active'
order by t.entry_id, t.folded
"""

_IDS = """
select id from groups where project_id = :project_id and user_id = :user_id
"""

_FORGET = """
delete from groups where id in (select value from json_each(:ids))
"""

_FORGET_MEMBERS = """
delete from group_members where group_id = :id
"""

_KEEP = """
insert into groups (id, project_id, user_id, label, size, created_at, updated_at)
values (:id, :project_id, :user_id, :label, :size, :at, :at)
on conflict (id) do update set label = excluded.label, size = excluded.size,
    updated_at = excluded.updated_at
where groups.label <> excluded.label or groups.size <> excluded.size
"""

# An entry may be deleted during the build.
_JOIN = """
insert into group_members (group_id, entry_id)
select :id, value from json_each(:members)
where exists (select 1 from entries where id = value)
"""

_NOTE_BUILD = """
insert into group_builds (project_id, user_id, built_at, seq, entries, k, threshold, cliques,
    partial, milliseconds)
values (:project_id, :user_id, :built_at, :seq, :entries, :k, :threshold, :cliques,
    :partial, :milliseconds)
on conflict (project_id, user_id) do update set built_at = excluded.built_at,
    seq = excluded.seq, entries = excluded.entries, k = excluded.k,
    threshold = excluded.threshold, cliques = excluded.cliques,
    partial = excluded.partial, milliseconds = excluded.milliseconds
"""

_BUILD = """
select built_at, seq, entries, k, threshold, cliques, partial, milliseconds
from group_builds
where project_id = :project_id and user_id = :user_id
"""

# Scopes whose entries changed since the last build, or that have none.
_STALE = """
select s.project_id, s.user_id
from searchables s left join group_builds b
    on b.project_id = s.project_id and b.user_id = s.user_id
where s.kind = 'entries'
group by s.project_id, s.user_id
having max(s.seq) > coalesce(max(b.seq), 0)
order by s.project_id, s.user_id
"""

_SEQ = """
select coalesce(max(seq), 0) as seq
from searchables
where kind = 'entries' and project_id = :project_id and user_id = :user_id
"""


@dataclass(frozen=True)
class GroupRow:
    """A group as visible from a scope."""

    id: str
    label: str
    size: int
    created_at: str
    updated_at: str


@dataclass(frozen=True)
class Build:
    """The last build of the groups of a project and user."""

    built_at: str
    seq: int
    entries: int
    k: int
    threshold: float
    cliques: int
    partial: str
    milliseconds: float


def of_entries(connection: Connection, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the group ids of each entry."""
    found = defaultdict(list)
    for row in connection.execute(_OF_ENTRIES, {"ids": json.dumps(list(ids))}):
        found[row["entry_id"]].append(row["group_id"])
    return dict(found)


def page(
    connection: Connection, scope: Scope, *, now: str, offset: int, limit: int
) -> tuple[list[GroupRow], int]:
    """Return groups, largest first, and the total count."""
    bound = {**bound_of(scope), "now": now, "offset": offset, "limit": limit}
    total = int(connection.execute(_COUNT, bound).get)
    return [GroupRow(**row) for row in connection.execute(_LIST, bound)], total


def find(connection: Connection, scope: Scope, id: str, *, now: str) -> GroupRow | None:
    row = connection.execute(_ONE, {**bound_of(scope), "now": now, "id": id}).fetchone()
    return GroupRow(**row) if row else None


def member_ids(
    connection: Connection, scope: Scope, id: str, *, now: str, offset: int, limit: int
) -> list[str]:
    bound = {**bound_of(scope), "now": now, "id": id, "offset": offset, "limit": limit}
    return [row["id"] for row in connection.execute(_MEMBER_IDS, bound)]


def members(connection: Connection, scope: Scope) -> dict[str, set[str]]:
    """Return the entries of every group of one project and user."""
    found = defaultdict(set)
    for row in connection.execute(_MEMBERS, bound_of(scope)):
        found[row["group_id"]].add(row["entry_id"])
    return dict(found)


def labels(connection: Connection, scope: Scope) -> dict[str, str]:
    """Return the labels of the groups of one project and user."""
    return {row["id"]: row["label"] for row in connection.execute(_LABELS, bound_of(scope))}


def tags_of(connection: Connection, *, project_id: str, user_id: str) -> dict[str, list[str]]:
    """Return the folded tags of the entries of a project and user, by entry."""
    found = defaultdict(list)
    for row in connection.execute(_TAGS, {"project_id": project_id, "user_id": user_id}):
        found[row["entry_id"]].append(row["folded"])
    return dict(found)


def replace(
    connection: Connection,
    scope: Scope,
    groups: Mapping[str, Iterable[str]],
    *,
    labels: Mapping[str, str],
    build: Build,
) -> None:
    """
    Replace the groups of a project and user; a group that keeps its id keeps its creation time.
    """
    whose = {"project_id": scope.project_id, "user_id": scope.user_id}
    known = {row["id"] for row in connection.execute(_IDS, whose)}
    connection.execute(_FORGET, {"ids": json.dumps(sorted(known - groups.keys()))})
    for id, entries in groups.items():
        listed = sorted(entries)
        kept = {**whose, "id": id, "label": labels[id], "size": len(listed), "at": build.built_at}
        connection.execute(_KEEP, kept)
        connection.execute(_FORGET_MEMBERS, {"id": id})
        connection.execute(_JOIN, {"id": id, "members": json.dumps(listed)})
    connection.execute(_NOTE_BUILD, {**whose, **vars(build)})


def build_of(connection: Connection, scope: Scope) -> Build | None:
    row = connection.execute(_BUILD, bound_of(scope)).fetchone()
    return Build(**row) if row else None


def stale(connection: Connection) -> list[Scope]:
    """Return each project and user whose entries changed since the last build."""
    return [Scope(**row) for row in connection.execute(_STALE)]


def newest(connection: Connection, scope: Scope) -> int:
    """Return the latest change of any entry of a project and user."""
    return int(connection.execute(_SEQ, bound_of(scope)).get)
