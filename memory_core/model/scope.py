"""Whose memory is meant."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, model_validator

from ..errors import Invalid
from .base import Value


class Scope(Value):
    """
    A project, and within it a user, an agent and a session, each "" if not given.

    Rows that carry a user come back only to who gives the user; any other field that
    is given must match.
    """

    project_id: str = Field("default", description="The project.")
    user_id: str = Field("", description="The user.")
    agent_id: str = Field("", description="The agent.")
    session_id: str = Field("", description="The session.")

    @model_validator(mode="wrap")
    @classmethod
    def _refused_by_name(cls, given: Any, read: ModelWrapValidatorHandler[Scope]) -> Scope:
        """Raise Invalid: a program that gives a number for a user's id catches no other errors."""
        try:
            return read(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            named = ".".join(map(str, first["loc"])) or "scope"
            raise Invalid(
                f"A scope cannot have that {named}: {first['msg']}. It takes texts: project_id, "
                "user_id, agent_id and session_id."
            ) from error
