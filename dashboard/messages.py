"""
Messages about the last action, at the top of every page.

A message stays through reruns until it is dismissed or the next action begins. What went well is
reported by saving/undo_offer.py in the same way, with its Undo button.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

KEY = "messages"
# Where this run shows them, so that an action removes those of the last one at once.
_PLACE = "messages_place"


@dataclass(frozen=True)
class Message:
    """*heading* is our text; *lines* may quote memory and are shown as plain text."""

    heading: str
    lines: tuple[str, ...] = ()
    level: Literal["error", "warning"] = "error"


def keep_message(
    heading: str, lines: Sequence[str] = (), *, level: Literal["error", "warning"] = "error"
) -> None:
    """Show a message from the next run on."""
    message = Message(heading, tuple(lines), level)
    kept = st.session_state.setdefault(KEY, [])
    if message not in kept:
        kept.append(message)


def clear_messages() -> None:
    """Drop all messages: the next action has begun."""
    st.session_state.pop(KEY, None)
    if (place := st.session_state.get(_PLACE)) is not None:
        place.empty()


def show_messages() -> None:
    kept: list[Message] = st.session_state.get(KEY, [])
    place = st.session_state[_PLACE] = st.empty()
    if not kept:
        return
    with place.container():
        for message in kept:
            (st.error if message.level == "error" else st.warning)(message.heading)
            if message.lines:
                st.code("\n".join(message.lines), language=None, wrap_lines=True)
        if st.button("Dismiss", key="messages_dismiss", type="tertiary"):
            clear_messages()
            st.rerun()
