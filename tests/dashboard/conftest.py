"""A dashboard with its own database, without browser, model or server."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from support import PATIENCE, HashingEmbedder

from benchmarks import big_store
from dashboard import state
from memory_core import open_memory

APP = str(Path(__file__).parents[2] / "dashboard" / "pages.py")
PAGES = {
    "overview": "views/overview.py",
    "graph": "views/graph.py",
    "search": "views/search.py",
    "server": "views/server.py",
    "curate": "views/curate.py",
    "time_travel": "views/time_travel.py",
    "entity": "views/entity.py",
    "memories": "views/memories.py",
    "groups": "views/groups.py",
    "documents": "views/documents.py",
    "maintenance": "views/maintenance.py",
    "bottles": "views/bottles.py",
    "latency": "views/latency.py",
    "librarian": "views/librarian.py",
}

# What a page shows no sooner than it is opened: of tabs, the first one and how many there are.
TABS = {
    "entity_tab": ("Observations", 4),
    "travel_tab": ("What changed", 3),
    "card_tab": ("Details", 3),
}
FOLDS = (
    *("then_as_table", "map_as_table", "group_as_table", "types_as_table", "days_as_table"),
    *("over_time_as_table", "stage_ranges_as_table", "histogram_as_table", "tools_as_table"),
)


@pytest.fixture(scope="session", autouse=True)
def packages_are_scanned_once():
    """A test makes a runtime, and each reads the metadata of every package that is installed."""
    scan = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="session")
def demonstration_file(tmp_path_factory):
    """A memory file with the demonstration in it and a vector for every text, made once."""
    path = tmp_path_factory.mktemp("demonstration") / "memory.db"
    made = open_memory(path=path, embedder=HashingEmbedder())
    made.demonstration.load_demonstration()
    made.catch_up()
    made.close()
    return path


@pytest.fixture(scope="session")
def big_file(tmp_path_factory):
    """A memory file with 20,000 entities and all that gathers around them, made once."""
    path = tmp_path_factory.mktemp("big") / "memory.db"
    big_store.build(path, big_store.embedder())
    return path


@pytest.fixture
def its_memory(empty_file, tmp_path, monkeypatch):
    """The memory that the dashboard under test shows; empty at first."""
    shutil.copy(empty_file, tmp_path / "memory.db")
    yield _opened(tmp_path, monkeypatch)
    _closed()


@pytest.fixture
def its_demonstration(demonstration_file, tmp_path, monkeypatch):
    """The memory that the dashboard under test shows, with the demonstration in it."""
    shutil.copy(demonstration_file, tmp_path / "memory.db")
    yield _opened(tmp_path, monkeypatch)
    _closed()


@pytest.fixture(scope="module")
def big_memory(big_file, tmp_path_factory):
    """The memory that the dashboard under test shows, with 20,000 entities; only read it."""
    folder = tmp_path_factory.mktemp("shown")
    shutil.copy(big_file, folder / "memory.db")
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield _opened(folder, monkeypatch, big_store.embedder())
        _closed()


@pytest.fixture
def visit(arrive):
    """Open a page by its name and all that can be opened there, and return what stands on it."""

    def opened(page: str, **session: object) -> AppTest:
        folds = dict.fromkeys(FOLDS, False) | {f"{key}_opened": {0} for key in FOLDS}
        tabs: dict[str, object] = {}
        for key, (first, count) in TABS.items():
            tabs |= {key: first, f"{key}_opened": set(range(count))}
        return arrive(page, **{**folds, **tabs, **session})

    return opened


@pytest.fixture
def arrive():
    """Open a page by its name as a browser does, and return what stands on it."""

    def opened(page: str, **session: object) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=PATIENCE)
        for key, value in session.items():
            app.session_state[key] = value
        if page != "overview":
            # That one is there to begin with; by its file it is taken for what leads on to it.
            app.switch_page(PAGES[page])
        return app.run()

    return opened


def _opened(folder, monkeypatch, embedder=None):
    monkeypatch.setenv("SQLITE_DB_FILE", str(folder / "memory.db"))
    monkeypatch.setenv("MEMORY_DATA_DIR", str(folder))
    monkeypatch.setenv("DASHBOARD_STARTS_SERVER", "false")
    monkeypatch.setenv("MCP_PORT", "0")
    embedder = embedder or HashingEmbedder()
    monkeypatch.setattr(
        state, "open_memory", lambda settings: open_memory(settings, embedder=embedder)
    )
    _forget()
    return state.memory()


def _closed() -> None:
    state.memory().close()
    _forget()


def _forget() -> None:
    st.cache_resource.clear()
    st.cache_data.clear()
