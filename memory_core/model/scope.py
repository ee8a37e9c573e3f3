"""Whose memory is meant."""

from __future__ import annotations

from pydantic import Field

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
