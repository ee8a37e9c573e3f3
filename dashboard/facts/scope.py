"""Whose facts are looked at: by user, agent and session, of what there is in the project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st

from memory_core.model.facts.fact_review import FactScopeFilter, ScopeCounts
from memory_core.model.scope import ALL_USERS, Scope

from .. import state
from ..components.elements import Part, part

ALL_LABEL = "All users"
# No name: names are one line.
_EVERY = "\n"
NO_USER = "No user"
WIDTH = 160


class FactScope(NamedTuple):
    """Facts of whom, as caches and pages of lists are kept by."""

    project: str
    user: str | None
    agent: str
    session: str

    @property
    def whose(self) -> FactScopeFilter:
        return FactScopeFilter(
            project_id=self.project,
            user_id=ALL_USERS if self.user is None else self.user,
            agent_id=self.agent,
            session_id=self.session,
        )

    @property
    def scope(self) -> Scope:
        """The same for who must name a user: everybody is not among them."""
        return Scope(
            project_id=self.project,
            user_id=self.user or "",
            agent_id=self.agent,
            session_id=self.session,
        )

    @property
    def narrow(self) -> bool:
        return bool(self.user is not None or self.agent or self.session)


def pick_scope() -> FactScope:
    """Let user, agent and session be picked; call it inside the row of filters."""
    project = state.project()
    # Jobs come and go without a change that a cache would see.
    held = state.memory().fact_review.list_holders(project)
    users = [_EVERY, "", *_sorted_names(each.user_id for each in held)]
    picked = st.selectbox(
        "User", users, format_func=_user_label, width=WIDTH, key=_widget_key("user")
    )
    user = None if picked == _EVERY else str(picked)
    held = [each for each in held if user is None or each.user_id == user]
    agent = _pick_name("Agent", (each.agent_id for each in held))
    held = [each for each in held if not agent or each.agent_id == agent]
    session = _pick_name("Session", (each.session_id for each in held))
    return FactScope(project, user, agent, session)


def owner_parts(owner: Scope | ScopeCounts, project: str) -> list[Part]:
    """Return whose something is, as chips; the project only where several are shown."""
    parts: list[Part] = []
    if project == state.EVERY_PROJECT:
        parts.append(part("span", "chip", owner.project_id, title="project"))
    names = (("user", owner.user_id), ("agent", owner.agent_id), ("session", owner.session_id))
    parts += [part("span", "chip", f"{what} {name}") for what, name in names if name]
    return parts if any(name for _, name in names) else [*parts, part("span", "faint", NO_USER)]


def scope_of(row: object) -> Scope:
    """Return the exact scope of a fact or of a conversation."""
    return Scope(**{name: getattr(row, name) for name in Scope.model_fields})


def _pick_name(label: str, names: Iterable[str]) -> str:
    known = _sorted_names(names)
    if not known:
        return ""
    picked = st.selectbox(
        label,
        ["", *known],
        format_func=lambda name: name or f"Any {label.lower()}",
        width=WIDTH,
        key=_widget_key(label.lower()),
    )
    return str(picked or "")


def _sorted_names(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name})


def _user_label(name: str) -> str:
    return ALL_LABEL if name == _EVERY else name or NO_USER


def _widget_key(what: str) -> str:
    """Another project has other users: what was picked in one stays there."""
    return f"facts_{what}_{state.project()}"
