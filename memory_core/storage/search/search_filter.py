"""
Filters of a search, as sorted arrays of passage ids.

1. A filter is applied before ranking. Its result is a sorted array of allowed passage ids,
   or None if all passages are allowed.
2. The array of a filter is cached and updated from the changes since, so that a search after
   a write reads only the changed rows.
3. A row with a user is returned only to a search that names the user, a row without a user
   to all searches. Other given parts of the scope must match.
4. Expired rows are never returned, even before they are deleted, nor are chunks of a text that
   is still being written or deleted. Neither is a change of the row, so these few rows are
   looked up in each search.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from ...model.scope import ALL_USERS, User

Ids = NDArray[np.uint64]

# Cached filters: at 100,000 passages each takes 0.8 MB.
KEPT = 32

_SEQ = """
select max(seq) as seq from searchables
"""

_PIECES = """
select pieces from vector_state
"""

# A cross join fixes the order; otherwise SQLite may compare all passages with all rows.
_ALLOWED = """
select p.id
from searchables s cross join pieces p on p.id >= s.id << 24 and p.id < (s.id + 1) << 24
where s.text is not null
"""

_CHANGED = """
select id from searchables where seq > :seq
"""


# Context chunks expire with their entry, and so do bottles.
_HIDDEN = """
select s.id
from entries e join searchables s on s.subject_id = e.id
where e.expires_at is not null and e.expires_at <= :now and s.text is not null
union all
select s.id
from documents d cross join searchables s on s.subject_id = d.id
cross join chunks c on c.id = s.row_id
where d.unfinished = 1 and s.kind = 'chunks' and s.text is not null
    and (c.position < d.first_position or c.position >= d.first_position + d.chunk_count)
union all
select s.id
from bottles b join searchables s on s.kind = 'bottles' and s.row_id = b.id
where b.expires_at is not null and b.expires_at <= :now
"""

# Entries and facts share one table, and are two kinds for callers.
FACTS = "facts"
_ENTRIES = "entries"


@dataclass(frozen=True)
class Filter:
    """Conditions on a row; "" and () match all."""

    project_id: str = "*"
    kinds: tuple[str, ...] = ()
    node_types: tuple[str, ...] = ()
    include_inactive: bool = False
    since: str = ""
    until: str = ""
    user_id: User = ""
    agent_id: str = ""
    session_id: str = ""
    # Whether rows without a user are excluded if one is named.
    own_only: bool = False

    def rules(self) -> str:
        """Return the conditions as SQL over ``s``, with the fields as parameters."""
        rules = [_USER[self.own_only] if self.user_id is not ALL_USERS else "1"]
        if self.project_id != "*":
            rules.append("s.project_id = :project_id")
        if not self.include_inactive:
            rules.append("s.active = 1")
        if (FACTS in self.kinds) != (_ENTRIES in self.kinds):
            rules.append(_ONE_FORM.format(form="fact" if FACTS in self.kinds else "entry"))
        rules += [rule for field, rule in _RULES.items() if getattr(self, field)]
        return " and ".join(rules)

    def bindings(self) -> dict[str, str]:
        return {
            **{name: str(value) for name, value in vars(self).items()},
            "kinds": json.dumps([_ENTRIES if kind == FACTS else kind for kind in self.kinds]),
            "node_types": json.dumps(self.node_types),
        }


_USER = {False: "s.user_id in ('', :user_id)", True: "s.user_id = :user_id"}

_ONE_FORM = """(s.kind <> 'entries' or s.row_id in (
        select id from entries where form = '{form}'
    ))"""

_RULES = {
    "kinds": "s.kind in (select value from json_each(:kinds))",
    "node_types": """s.subject_id in (
        select id from entities where node_type in (select value from json_each(:node_types))
    )""",
    "since": "s.occurred_at >= :since",
    "until": "s.occurred_at <= :until",
    "agent_id": "s.agent_id = :agent_id",
    "session_id": "s.session_id = :session_id",
}


@dataclass(frozen=True)
class _CachedIds:
    seq: int
    ids: Ids


class Allowed:
    """Cache of the passages that filters allow, as of the current read block."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Filter, _CachedIds] = OrderedDict()
        self._lock = threading.Lock()

    def pieces(self, connection: Connection, filter: Filter, *, now: str) -> Ids | None:
        """Return the passage ids that *filter* allows at *now*; None if it allows all."""
        ids = self.ids(connection, filter, now=now)
        return None if len(ids) == connection.execute(_PIECES).get else ids

    def ids(self, connection: Connection, filter: Filter, *, now: str) -> Ids:
        """Return the sorted passage ids that *filter* allows at *now*."""
        ids = self._ids(connection, filter)
        cursor = connection.cursor()
        cursor.row_trace = None
        hidden = np.fromiter((row[0] for row in cursor.execute(_HIDDEN, {"now": now})), np.uint64)
        return ids[~np.isin(ids >> np.uint64(24), hidden)] if len(hidden) else ids

    def _ids(self, connection: Connection, filter: Filter) -> Ids:
        seq = int(connection.execute(_SEQ).get or 0)
        with self._lock:
            kept = self._kept.get(filter)
        if kept is not None and kept.seq == seq:
            return kept.ids
        # The type is a column of another row, whose changes are not seen here.
        if kept is None or kept.seq > seq or filter.node_types:
            ids = _sort_ids(_read_ids(connection, f"{_ALLOWED} and {filter.rules()}", filter))
        else:
            ids = _apply_changes(connection, filter, kept)
        self._keep(filter, _CachedIds(seq, ids))
        return ids

    def _keep(self, filter: Filter, kept: _CachedIds) -> None:
        with self._lock:
            self._kept[filter] = kept
            self._kept.move_to_end(filter)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


def _apply_changes(connection: Connection, filter: Filter, kept: _CachedIds) -> Ids:
    since = {"seq": kept.seq}
    cursor = connection.cursor()
    cursor.row_trace = None
    changed = np.fromiter((row[0] for row in cursor.execute(_CHANGED, since)), np.uint64)
    rules = f"s.seq > {kept.seq} and {filter.rules()}"
    added = _read_ids(connection, f"{_ALLOWED} and {rules}", filter)
    stay = kept.ids[~np.isin(kept.ids >> np.uint64(24), changed)]
    return _sort_ids(np.concatenate([stay, added]))


def _sort_ids(ids: Ids) -> Ids:
    # Usually sorted already: the newest rows have the highest ids.
    return ids if np.all(ids[:-1] < ids[1:]) else np.sort(ids, kind="stable")


def _read_ids(connection: Connection, query: str, filter: Filter) -> Ids:
    cursor = connection.cursor()
    cursor.row_trace = None
    rows = cursor.execute(query, filter.bindings())
    return np.fromiter((row[0] for row in rows), np.uint64)
