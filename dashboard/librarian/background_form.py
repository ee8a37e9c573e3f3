"""Settings of background discovery, with their source."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memory_core.model.graph.discovery import BackgroundStatus

from ..components.elements import Part, part, show
from ..saving import undo_offer
from ..saving.apply import apply_batch

OPENED, COUNT = "background_opened", "background_forms"
VALUES = ("enabled", "interval_seconds", "similarity_threshold")


def background_form(status: BackgroundStatus) -> None:
    opened, key = _initial_values(status)
    with st.form("background", border=False):
        enabled = st.toggle(
            "Discover relations in the background", opened["enabled"], key=f"{key}_enabled"
        )
        seconds = opened["interval_seconds"]
        interval = st.number_input(
            "Interval in seconds", 10, 86_400, seconds, key=f"{key}_interval_seconds"
        )
        threshold = st.slider(
            "Similarity threshold for suggestions",
            0.0,
            1.0,
            opened["similarity_threshold"],
            0.01,
            key=f"{key}_similarity_threshold",
        )
        sent = st.form_submit_button("Save", type="primary")
    show(*_origins(status), key="origins")
    if "chosen" in status.origins.values():
        _clear()
    if not sent:
        return
    # Save changed fields only: others may have been set elsewhere meanwhile.
    batch_id = apply_batch(
        "The settings were not saved.",
        lambda memory: memory.discovery.set_background(
            enabled=status.enabled if enabled == opened["enabled"] else enabled,
            interval_seconds=-1 if interval == opened["interval_seconds"] else int(interval),
            similarity_threshold=-1 if threshold == opened["similarity_threshold"] else threshold,
        ),
    )
    if batch_id:
        st.session_state.pop(OPENED, None)
        # Settings are not in the audit log, so there is no undo.
        undo_offer.report_done("The background discovery settings were saved.")


def _initial_values(status: BackgroundStatus) -> tuple[dict[str, Any], str]:
    """Return the initial values of the form and its key; unsaved input survives changes."""
    now = {name: getattr(status, name) for name in VALUES}
    opened: dict[str, Any] | None = st.session_state.get(OPENED)
    count = st.session_state.get(COUNT, 0)
    if opened is None or (opened != now and not _has_edits(opened, f"background_{count}")):
        count, opened = count + 1, now
        st.session_state[OPENED], st.session_state[COUNT] = opened, count
    return opened, f"background_{count}"


def _has_edits(opened: dict[str, Any], key: str) -> bool:
    return any(
        st.session_state.get(f"{key}_{name}", value) != value for name, value in opened.items()
    )


def _origins(status: BackgroundStatus) -> list[Part]:
    """Return the source of each value and the value from the environment."""
    outside = status.settings
    rows = (
        ("Switch", "enabled", "on" if outside["enabled"] else "off"),
        ("Interval", "interval_seconds", f"{outside['interval_seconds']:.0f} s"),
        ("Similarity", "similarity_threshold", f"{outside['similarity_threshold']:.2f}"),
    )
    return [
        part(
            "div",
            "row tight",
            part("span", "faint", label),
            part("span", "", _origin(status, name, value)),
        )
        for label, name, value in rows
    ]


def _origin(status: BackgroundStatus, name: str, outside: str) -> str:
    if status.origins[name] == "chosen":
        return f"set here or by a tool; environment: {outside}"
    return f"from the environment: {outside}"


def _clear() -> None:
    if not st.button("Reset to environment"):
        return
    if apply_batch(
        "The settings were not reset.", lambda memory: memory.discovery.background.forget()
    ):
        st.session_state.pop(OPENED, None)
        undo_offer.report_done("Background discovery was reset to the environment.")
