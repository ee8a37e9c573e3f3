"""Validation of the scope of a call."""

from __future__ import annotations

from ..errors import ValidationError
from ..model.scope import ALL_USERS, Scope, User
from ..rules import limits


def validate_scope(
    scope: Scope | None, *, all_projects: bool = False, all_users: bool = False
) -> Scope:
    """
    Return the normalised scope; raise ValidationError if it is invalid or a name in it is too long.

    "*" for the project and ALL_USERS for the user are refused unless they are allowed.
    """
    scope = Scope() if scope is None else scope
    if not isinstance(scope, Scope):
        raise ValidationError(
            f"The scope is {scope!r:.60}, and must be a Scope: for example Scope(user_id=...)."
        )
    if scope.user_id is ALL_USERS and not all_users:
        raise ValidationError("This call does not accept ALL_USERS. Name one user.")
    names = {
        name: limits.validate_name(name, value) if isinstance(value, str) and value else value
        for name, value in scope.model_dump(exclude={"project_id"}).items()
    }
    project_id = limits.validate_project(scope.project_id, all_allowed=all_projects)
    return Scope(project_id=project_id, **names)


def checked_names(
    project_id: str, user_id: User, agent_id: str = "", session_id: str = ""
) -> Scope:
    """Return the scope of these names, for a call that accepts all projects and all users."""
    scope = Scope(project_id=project_id, user_id=user_id, agent_id=agent_id, session_id=session_id)
    return validate_scope(scope, all_projects=True, all_users=True)
