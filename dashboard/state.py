"""State shared by all pages: the memory, the project and the actor."""

from __future__ import annotations

import atexit
import hmac
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from memory_core import (
    ALL_USERS,
    Memory,
    MemoryCoreError,
    Settings,
    acting_as,
    open_memory,
    redactions,
)

from . import messages
from .auth import ADMITTED, Guesses
from .components.colours import Theme
from .embedded import EmbeddedServer
from .layout import Positions

ACTOR = "dashboard"
EVERY_PROJECT = "*"
# Layouts of maps that are kept: so many filters a person comes back to.
MAPS = 100


@st.cache_resource(show_spinner="Opening the memory")
def memory() -> Memory:
    """Return the memory, opened once in this process."""
    opened = open_memory(Settings.load())
    opened.warm()
    return opened


@st.cache_resource(show_spinner=False)
def server() -> EmbeddedServer:
    """Return the MCP server child, started once unless a setting disables it."""
    settings = memory().settings
    embedded = EmbeddedServer(
        memory().db.path,
        memory().db.uuid,
        host=settings.mcp_host,
        port=settings.mcp_port,
        token=settings.mcp_token.get_secret_value() if settings.mcp_token else "",
    )
    if settings.dashboard_starts_server:
        embedded.start()
    atexit.register(embedded.stop)
    return embedded


@st.cache_resource(show_spinner=False)
def _stored_positions() -> dict[str, Positions]:
    return {}


def remembered_positions(map_key: str) -> Positions:
    """Return the positions of the nodes of a map, independent of filters."""
    return _stored_positions().get(map_key, {})


def remember_positions(map_key: str, positions: Positions) -> None:
    """Add node positions of a map; only the newest maps are kept."""
    kept = _stored_positions()
    kept[map_key] = {**kept.pop(map_key, {}), **positions}
    for old in list(kept)[:-MAPS]:
        kept.pop(old, None)


def version() -> int:
    """Return the number of the newest change: the key of everything that pages cache."""
    return memory().atlas.version()


def last_expiry() -> str:
    """Return when an entry was the last to go by itself: pages cache by that, too."""
    return memory().entry_status.newest_expiry()


@st.cache_data(show_spinner=False, max_entries=8)
def projects(seq: int) -> list[str]:
    """Return the projects that hold something as of change *seq*, by name."""
    return memory().overview.list_projects(user_id=ALL_USERS)


def project() -> str:
    """Return the project that was picked; "*" is all of them."""
    return str(st.session_state.get("project", EVERY_PROJECT))


def show_error(what: str, error: MemoryCoreError) -> None:
    """Say what failed and why; the reason may quote memory, so it is shown as plain text."""
    st.error(what)
    st.code(str(error), language=None, wrap_lines=True)


def theme() -> Theme:
    return "dark" if st.context.theme.type == "dark" else "light"


@contextmanager
def editing() -> Iterator[Memory]:
    """Yield the memory; what is changed inside is signed by the dashboard."""
    with acting_as(ACTOR), redactions() as redacted:
        try:
            yield memory()
        finally:
            # A job works outside any session, and tells what it did in its own way.
            if redacted and get_script_run_ctx(suppress_warning=True) is not None:
                what = ", ".join(map(str, redacted))
                said = f"Not stored: {what}. REDACT_SECRETS=false would keep it."
                messages.keep_message(said, level="warning")


@st.cache_resource(show_spinner=False)
def _guesses() -> Guesses:
    return Guesses()


def is_admitted() -> bool:
    """Return whether this session may see anything; ask for the password if one is set."""
    secret = memory().settings.dashboard_password
    if secret is None or st.session_state.get("admitted"):
        return True
    st.title("This memory is locked")
    with st.form("password", border=False):
        given = st.text_input("Password", type="password")
        sent = st.form_submit_button("Open", type="primary")
    if sent and not _guesses().may_try():
        st.error("Too many passwords were tried. Wait a minute, then try again.")
        return False
    if sent and hmac.compare_digest(given.encode(), secret.get_secret_value().encode()):
        st.session_state["admitted"] = True
        if visitor := get_script_run_ctx():
            ADMITTED.add(visitor.session_id)
        st.rerun()
    if sent:
        st.error("That is not the password. It is the value of DASHBOARD_PASSWORD.")
    return False
