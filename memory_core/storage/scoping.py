"""What a query sees: one scope, or all projects; and of that one row, or a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from apsw import Connection

from ..errors import NotFoundError
from ..model.scope import Scope

# An agent or session that is not given is any.
SEEN = """
    project_id = :project_id and user_id = :user_id
    and (:agent_id = '' or agent_id = :agent_id)
    and (:session_id = '' or session_id = :session_id)"""

ALIVE = "(expires_at is null or expires_at > :now)"

_ONE_PROJECT = re.compile(r"(\w+\.)?project_id = :project_id")

Found = TypeVar("Found")


def scoped(query: str, project_id: str) -> str:
    """Return *query* for one project, or for all of them when *project_id* is "*"."""
    if project_id != "*":
        return query
    return _ONE_PROJECT.sub(":project_id = '*'", query)


def page_of(
    connection: Connection,
    query: str,
    *,
    count: str,
    bound: Mapping[str, Any],
    place: Mapping[str, Any],
) -> tuple[list[Any], int]:
    """Return the rows of a page, and how many match in all; *place* is bound for the page only."""
    project_id = bound["project_id"]
    total = int(connection.execute(scoped(count, project_id), bound).get)
    rows = connection.execute(scoped(query, project_id), {**bound, **place})
    return rows.fetchall(), total


def required(found: Found | None, kind: str, id: str, *, scope: Scope, tool: str) -> Found:
    """
    Return what was *found*; if nothing was, raise NotFoundError, which names the tool that lists.
    """
    if found is None:
        hint = (
            f"Look for it in project {scope.project_id!r} with the tool {tool}. Give user_id to "
            "find what belongs to a user."
        )
        raise NotFoundError(kind, id, hint)
    return found
