"""The script that Streamlit runs for every visitor and every click."""

from __future__ import annotations

from dashboard import frame

frame.show_app()
