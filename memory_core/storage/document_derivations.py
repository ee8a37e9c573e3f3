"""Observations and relations extracted from a document and not edited since."""

from __future__ import annotations

from apsw import Connection

_OBSERVATIONS = """
select id from observations
where project_id = :project_id and source = :source and status = 'active'
    and updated_at = created_at
order by id
"""

_RELATIONS = """
select id from relations
where project_id = :project_id and source = :source and updated_at = created_at
order by id
"""


def source(document_id: str) -> str:
    """Return the source value of rows extracted from a document."""
    return f"document {document_id}"


def observations(connection: Connection, project_id: str, document_id: str) -> list[str]:
    """Return the ids of the active observations that are unchanged since extraction."""
    return _ids(connection, _OBSERVATIONS, project_id, document_id)


def relations(connection: Connection, project_id: str, document_id: str) -> list[str]:
    """Return the ids of the relations that are unchanged since extraction."""
    return _ids(connection, _RELATIONS, project_id, document_id)


def _ids(connection: Connection, query: str, project_id: str, document_id: str) -> list[str]:
    bound = {"project_id": project_id, "source": source(document_id)}
    return [row["id"] for row in connection.execute(query, bound)]
