"""
Scope conditions and pages of queries.

Rule 1: a record with a user is returned to, and changed for, only a call that names the user.
Records without a user belong to the project.

Rule 2: a statement over rows with a user, or over the history of such rows, contains SEEN,
row_seen(), row_owned() or USER_SEEN. tests/architecture/test_scopes.py lists the exceptions.

Rule 3: None is bound for ALL_USERS, which no tool accepts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from apsw import Connection

from ..errors import NotFoundError
from ..model.scope import ALL_USERS, Scope, User
from .history.tracked import TRACKED

# An empty agent or session matches any.
SEEN = """
    project_id = :project_id and user_id = :user_id
    and (:agent_id = '' or agent_id = :agent_id)
    and (:session_id = '' or session_id = :session_id)"""

# Records of the named user and of no user; None is bound for all users.
USER_SEEN = "(:user_id is null or user_id in ('', :user_id))"

ALIVE = "(expires_at is null or expires_at > :now)"

# Kinds of rows that may belong to a user.
OWNED = tuple(
    tracked.table
    for tracked in TRACKED
    if tracked.searched is not None and "user_id" in tracked.searched.scope
)

# As a list in SQL.
OWNED_LIST = ", ".join(f"'{table}'" for table in OWNED)

_ONE_PROJECT = re.compile(r"(\w+\.)?project_id = :project_id")
_ONE_USER = re.compile(r"(\w+\.)?user_id = :user_id")

_HAS_OTHERS = """
select exists (
    select 1 from entries
    where (:project_id = '*' or project_id = :project_id) and user_id not in ('', :user_id)
) or exists (
    select 1 from extraction_jobs
    where (:project_id = '*' or project_id = :project_id) and user_id not in ('', :user_id)
)
"""

Found = TypeVar("Found")


def row_seen(change: str) -> str:
    """
    Return the SQL condition that a call may see the history of the row of a change.

    *change* is an alias of the view changes. Every state of the row in the log must be of no user
    or of the named one; a row whose states were erased counts as one of an unknown user.
    """
    states = _states_of(change)
    return f"""(:user_id is null or {change}.kind not in ({OWNED_LIST}) or (
        select min(state ->> 'user_id' in ('', :user_id)) from {states}
    ))
    and (:agent_id = '' or (
        select min(coalesce(state ->> 'agent_id', '') = :agent_id) from {states}
    ))
    and (:session_id = '' or (
        select min(coalesce(state ->> 'session_id', '') = :session_id) from {states}
    ))"""


def row_owned(change: str) -> str:
    """Return the SQL condition that the row of a change belongs to exactly the named user."""
    return f"""(
        select min(
            state ->> 'user_id' = :user_id
            and (:agent_id = '' or state ->> 'agent_id' = :agent_id)
            and (:session_id = '' or state ->> 'session_id' = :session_id)
        )
        from {_states_of(change)}
    )"""


def _states_of(change: str) -> str:
    return f"""recorded_states
        where row = {change}.row_term and kind = {change}.kind_term and op < 2"""


def bound_of(scope: Scope) -> dict[str, str | None]:
    """Return the query parameters of a scope; None means all users."""
    return {**scope.model_dump(), "user_id": bound_user(scope.user_id)}


def bound_user(user_id: User) -> str | None:
    return None if user_id is ALL_USERS else user_id


def scope_query(query: str, project_id: str | None, user_id: str | None = "") -> str:
    """Return *query* for one project, or all if it is "*"; for one user, or all if it is None."""
    if project_id == "*":
        query = _ONE_PROJECT.sub(":project_id = '*'", query)
    return query if user_id is not None else _ONE_USER.sub(":user_id is null", query)


def has_others(connection: Connection, scope: Scope) -> bool:
    """Return whether a project has records of users that the scope does not name."""
    return bool(connection.execute(_HAS_OTHERS, bound_of(scope)).get)


def page_of(
    connection: Connection,
    query: str,
    *,
    count: str,
    bound: Mapping[str, Any],
    place: Mapping[str, Any],
) -> tuple[list[Any], int]:
    """Return the rows of a page, and the total count; *place* is bound for the page only."""
    of = bound["project_id"], bound.get("user_id", "")
    total = int(connection.execute(scope_query(count, *of), bound).get)
    rows = connection.execute(scope_query(query, *of), {**bound, **place})
    return rows.fetchall(), total


def require_found(found: Found | None, kind: str, id: str, *, scope: Scope, tool: str) -> Found:
    """
    Return *found*; if it is None, raise NotFoundError naming the *tool* that lists such records.
    """
    if found is None:
        hint = (
            f"Look for it in project {scope.project_id!r} with the tool {tool}. Give user_id to "
            "find records of a user."
        )
        raise NotFoundError(kind, id, hint)
    return found
