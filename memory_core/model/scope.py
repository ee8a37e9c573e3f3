"""The scope of a call: project, user, agent and session."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, PlainValidator

from .base import ValidatedInput


class AllUsers(Enum):
    """
    The type of ALL_USERS.

    Not a string, so that no tool argument and no user name can be equal to it.
    """

    ALL_USERS = "all users"

    def __repr__(self) -> str:
        return self.name


# Records of all users and of none: for the owner of the database, in the dashboard, on the
# command line and in programs. No tool accepts it.
ALL_USERS: Final = AllUsers.ALL_USERS

# A user by name, "" for none, or all of them.
User = str | Literal[AllUsers.ALL_USERS]


def _validate_user(given: Any) -> User:
    if given is ALL_USERS or isinstance(given, str):
        return given
    raise ValueError("a user must be a string")


# The user as a field of a value.
ScopeUser = Annotated[User, PlainValidator(_validate_user, json_schema_input_type=str)]


class Scope(ValidatedInput):
    """
    A project, and within it a user, an agent and a session, each "" if not given.

    Records with a user are visible only to calls that name the user; any other field that
    is given must match. ALL_USERS is for the owner of the database.
    """

    type_label: ClassVar[str] = "A scope"
    accepted_fields: ClassVar[str] = "text fields: project_id, user_id, agent_id and session_id"

    project_id: str = Field("default", description="Project ID.")
    user_id: ScopeUser = Field("", description="User ID.")
    agent_id: str = Field("", description="Agent ID.")
    session_id: str = Field("", description="Session ID.")

    @property
    def user(self) -> str:
        """The user by name; "" for none. ALL_USERS has no name: callers reject it before."""
        assert isinstance(self.user_id, str)
        return self.user_id


# All records.
EVERYTHING: Final = Scope(project_id="*", user_id=ALL_USERS)
