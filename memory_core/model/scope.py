"""The scope of a call: project, user, agent and session."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, PlainValidator

from .base import ValidatedInput


class AllUsers(Enum):
    """
    The type of ALL_USERS.

    It is no text, so that no argument of a tool and no name of a user can stand for it.
    """

    ALL_USERS = "all users"

    def __repr__(self) -> str:
        return self.name


# Records of every user and of none: for the owner of the file, in the dashboard, on the
# command line and in programs. No tool offers it.
ALL_USERS: Final = AllUsers.ALL_USERS

# A user by name, "" for none, or all of them.
User = str | Literal[AllUsers.ALL_USERS]


def _user(given: Any) -> User:
    if given is ALL_USERS or isinstance(given, str):
        return given
    raise ValueError("a user is named by a text")


# The user as a field of a value.
ScopeUser = Annotated[User, PlainValidator(_user, json_schema_input_type=str)]


class Scope(ValidatedInput):
    """
    A project, and within it a user, an agent and a session, each "" if not given.

    Records with a user are seen and changed only by calls that name the user; any other
    field that is given must match. ALL_USERS is for the owner of the file.
    """

    form: ClassVar[str] = "A scope"
    takes: ClassVar[str] = "texts: project_id, user_id, agent_id and session_id"

    project_id: str = Field("default", description="The project.")
    user_id: ScopeUser = Field("", description="The user.")
    agent_id: str = Field("", description="The agent.")
    session_id: str = Field("", description="The session.")

    @property
    def user(self) -> str:
        """The user by name; "" for none. ALL_USERS has no name: callers refuse it before."""
        assert isinstance(self.user_id, str)
        return self.user_id


# Every record there is.
EVERYTHING: Final = Scope(project_id="*", user_id=ALL_USERS)
