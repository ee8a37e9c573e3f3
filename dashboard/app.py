"""Entry point of ``streamlit run dashboard/app.py``: the pages and the MCP server child.

The server is there from the start of the process, before any browser comes, and goes with it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from streamlit import config, net_util
from streamlit.starlette import App

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:
    # Streamlit puts this file's own folder on the path; the packages are one above.
    sys.path.insert(0, str(HERE.parent))

from dashboard.asgi_guard import Gate  # noqa: E402
from dashboard.auth import ADMITTED, LOOPBACK, refuse_open_bind  # noqa: E402 - found only now
from dashboard.work.loading import preload_modules  # noqa: E402
from memory_core import Settings, redact_log_records  # noqa: E402

logger = logging.getLogger(__name__)

redact_log_records()

# Streamlit would ask a web service for this machine's address when a stranger knocks.
net_util.get_external_ip = lambda: None


@asynccontextmanager
async def _with_server(app: App) -> AsyncIterator[dict[str, Any] | None]:
    from dashboard import state
    from memory_core import MemoryCoreError, start_thread

    try:
        await asyncio.to_thread(state.server)
    except MemoryCoreError as error:
        # Every page shows the same error.
        logger.error("the memory could not be opened: %s", error)
        yield None
        return
    # The first visitor does not wait for it.
    start_thread(preload_modules, name="load-pages")
    yield None
    await asyncio.to_thread(state.server().stop)


_locked = bool(Settings.load().dashboard_password)
refuse_open_bind(config.get_option("server.address"), has_password=_locked)
app = App(
    HERE / "pages.py",
    lifespan=_with_server,
    middleware=[
        Middleware(
            Gate,
            # Without a list Streamlit accepts any host name.
            hosts=[*LOOPBACK, *config.get_option("server.allowedHosts")],
            origins=config.get_option("server.corsAllowedOrigins"),
            admitted=lambda session: not _locked or session in ADMITTED,
        )
    ],
)
