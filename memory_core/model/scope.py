"""Whose memory is meant."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from .base import Given


class Scope(Given):
    """
    A project, and within it a user, an agent and a session, each "" if not given.

    Rows that carry a user come back only to who gives the user; any other field that
    is given must match.
    """

    form: ClassVar[str] = "A scope"
    takes: ClassVar[str] = "texts: project_id, user_id, agent_id and session_id"

    project_id: str = Field("default", description="The project.")
    user_id: str = Field("", description="The user.")
    agent_id: str = Field("", description="The agent.")
    session_id: str = Field("", description="The session.")
