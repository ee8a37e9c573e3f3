"""Hints at facts outside the scope of a search, without the names of other users."""

from __future__ import annotations

from datetime import datetime

from ...model.scope import ALL_USERS, Scope
from ...storage.database import Connection
from ...storage.entries import facts as rows

_NAMES = 5


def hint_at_scopes(connection: Connection, scope: Scope, *, now: datetime, found: int) -> str:
    """
    Return which scopes hold other facts: counts for users, names for agents and sessions of the
    call's own user. Empty if there is nothing to report.
    """
    # For a named user, point at other facts only if nothing was found.
    if scope.user_id is ALL_USERS or (scope.user_id and found):
        return ""
    own = "" if found else _hint_at_own(connection, scope, now=now)
    unseen = rows.count_unseen(connection, scope)
    if not unseen["facts"]:
        return own
    if scope.user_id:
        return f"{own} {_OF_NO_USER}".strip()
    counts = [_count(unseen[kind], kind) for kind in ("users", "agents", "sessions")]
    return f"{own} {_OF_USERS.format(', '.join(filter(None, counts)))}".strip()


def _hint_at_own(connection: Connection, scope: Scope, *, now: datetime) -> str:
    """Return the agents and sessions with facts of this user, if the call names another one."""
    if not (scope.agent_id or scope.session_id):
        return ""
    names = rows.own_names(connection, scope, now=now, limit=_NAMES)
    listed = [f"{kind} {', '.join(map(repr, some))}" for kind, some in names.items() if some]
    whose = "this user" if scope.user_id else "no user"
    return _OF_OWN.format(whose, " and ".join(listed)) if listed else ""


def _count(number: int, kind: str) -> str:
    if not number:
        return ""
    return f"{number} {kind if number > 1 else kind.removesuffix('s')}"


_OF_USERS = "Facts that belong to users exist here ({}): give user_id to recall those of one."
_OF_NO_USER = 'Facts that belong to no user exist here: give user_id="" to recall them.'
_OF_OWN = "Facts of {} exist for {}: leave agent_id and session_id out to search all of them."
