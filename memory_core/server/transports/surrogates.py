"""Repair lone surrogates in protocol text before it is parsed.

JSON may escape half of a surrogate pair; a strict parser refuses the whole message for it, and
the client would wait for an answer that never comes. The half becomes U+FFFD, which is as long,
so no length changes.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a whole pair
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"  # a half
    rb"|\\."  # any other escape; an escaped backslash must not lend its second half
)
_SUSPECT = re.compile(rb"\\u[dD][89a-fA-F]")


def repair_surrogates(message: bytes) -> bytes:
    """Return *message* with every escaped half of a surrogate pair replaced."""
    if _SUSPECT.search(message) is None:
        return message
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], message)
