"""Who may come in: without a password, only who sits at this machine."""

from __future__ import annotations

import sys

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def refuse_open_bind(address: str | None, *, has_password: bool) -> None:
    """Exit if others could reach the dashboard and no password keeps them out."""
    # Streamlit looks for its configuration in the working directory; started elsewhere it
    # would listen on every address there is.
    if address not in LOOPBACK and not has_password:
        sys.exit(
            f"The dashboard would listen on {address or 'every address of this machine'}, without "
            "a password. Start it in the folder that holds .streamlit, or add --server.address "
            "127.0.0.1, or set DASHBOARD_PASSWORD."
        )
