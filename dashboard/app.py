"""The frame around the pages: which project, which memory, is it well, where to go."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    # Streamlit puts this file's own folder on the path; the packages are one above.
    sys.path.insert(0, str(ROOT))

from streamlit import net_util  # noqa: E402

from dashboard import frame  # noqa: E402

# Streamlit would ask a web service for this machine's address when a stranger knocks.
net_util.get_external_ip = lambda: None

frame.show_app()
