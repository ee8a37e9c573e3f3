"""The sidebar and the page in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from memory_core import MemoryCoreError

from . import messages, state
from .components import rows
from .components.elements import Part, part, show
from .health import Colour, Health, health
from .work.polling import poll

HERE = Path(__file__).parent
VIEWS = HERE / "views"
LOOK_AGAIN, LOOK_SELDOM = 2.0, 10.0
# Health while the page was rendered; the page is rendered again once it is good.
DRAWN = "health_drawn"
MODES = ("light", "dark")
# The picked project, independent of the widget.
PICKED = "project_picked"

# A database tool is denser than a slide: Streamlit leaves six lines free above every page.
_CSS = """<style>
.stMainBlockContainer { padding: 2.6rem 2rem 3rem; max-width: 1500px; }
/* Its cells are not escaped for spreadsheets; Curate offers a download whose cells are. */
[data-testid="stElementToolbarButton"]:has(button[aria-label="Download as CSV"]),
[data-testid="stElementToolbar"] button[aria-label="Download as CSV"] { display: none; }
[data-testid="stSidebarHeader"] { height: 2.2rem; padding-block: 0; margin: 0; }
[data-testid="stSidebarUserContent"] { padding-top: 0; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding: 3.2rem 1rem 2rem; }
  [data-testid="stHorizontalBlock"] { row-gap: 1rem; }
}
</style>"""

# Streamlit writes what is chosen or pointed at in the accent, which on the dark theme can carry
# white letters or be letters itself, not both; links have a colour that is made to be read.
_CHOSEN = """<style>
[data-testid="stTab"]:is([data-selected], [data-hovered], [data-focus-visible]),
[data-testid="stButtonGroup"] button[data-selected]:not([data-disabled]),
[data-testid^="stBaseButton-secondary"]:is(:hover, :focus-visible):not(:active, :disabled),
[data-testid^="stBaseButton-tertiary"]:is(:hover, :focus-visible):not(:active, :disabled) {
  color: light-dark(%s, %s) !important;
}
</style>"""

# Streamlit's own colours for parts of code are too faint on the light ground; those for messages
# are made to be read on every one.
_CODE = """<style>
[data-testid="stCode"] .token.token { color: light-dark(%s, %s) !important; }
[data-testid="stCode"] .token.token:is(.property, .function, .keyword) {
  color: light-dark(%s, %s) !important;
}
[data-testid="stCode"] .token.token.string { color: light-dark(%s, %s) !important; }
</style>"""
CODE = ("codeTextColor", "blueTextColor", "greenTextColor")

# Group: file, title, address. The first one opens first, always at the root.
PAGES = {
    "Look": (
        ("overview.py", "Overview", "first"),
        ("graph.py", "Graph", "graph"),
        ("search.py", "Search", "search"),
        ("time_travel.py", "Time travel", "time_travel"),
    ),
    "Tend": (
        ("curate.py", "Curate", "curate"),
        ("memories.py", "Memories", "memories"),
        ("documents.py", "Documents", "documents"),
        ("bottles.py", "Bottles", "bottles"),
        ("librarian.py", "Librarian", "librarian"),
        ("groups.py", "Groups", "groups"),
    ),
    "Measure": (("latency.py", "Latency", "latency"),),
    "Run": (
        ("maintenance.py", "Maintenance", "maintenance"),
        ("server.py", "Server and settings", "server"),
    ),
}

# Opened by links from the others.
UNLISTED = (("entity.py", "Entity", "entity"),)


def show_app() -> None:
    """Show the frame, and in it the page that was asked for."""
    st.set_page_config(
        page_title="Turbovec memory", page_icon=str(HERE / "icon.png"), layout="wide"
    )
    code = tuple(colour for name in CODE for colour in _in_both(name))
    st.html(_CSS + rows.CSS + _CHOSEN % _in_both("linkColor") + _CODE % code)
    groups = {group: _pages(pages) for group, pages in PAGES.items()}
    unlisted = [*_pages(UNLISTED), st.Page(_to_the_first, title="Overview", url_path="overview")]
    page = st.navigation({**groups, "": unlisted}, position="hidden")
    try:
        if not state.is_admitted():
            return
        state.server()
        with st.sidebar:
            _sidebar(groups)
        messages.show_messages()
        page.run()
        _note_health()
    except MemoryCoreError as error:
        state.show_error("This page could not be shown. Nothing was changed.", error)


def _in_both(name: str) -> tuple[str, ...]:
    return tuple(str(st.get_option(f"theme.{mode}.{name}")) for mode in MODES)


def _to_the_first() -> None:
    """Lead on from /overview: Streamlit gives the page that opens first no address of its own."""
    asked = {name: st.query_params.get_all(name) for name in st.query_params}
    st.switch_page("views/overview.py", query_params=asked)


def _pages(named: Sequence[tuple[str, str, str]]) -> list[StreamlitPage]:
    return [
        st.Page(VIEWS / file, title=title, url_path=address, default=file == "overview.py")
        for file, title, address in named
    ]


def _sidebar(groups: dict[str, list[StreamlitPage]]) -> None:
    projects = [state.EVERY_PROJECT, *state.projects(state.version())]
    if (asked := st.session_state.pop("project_wanted", "")) in projects:
        st.session_state["project"] = asked
    # The state of the widget is lost when a page switches to another one before it is sent.
    wanted = st.session_state.get(PICKED) or st.query_params.get("project", state.EVERY_PROJECT)
    if st.session_state.get("project") not in projects:
        st.session_state["project"] = wanted if wanted in projects else state.EVERY_PROJECT
    st.session_state[PICKED] = st.selectbox(
        "Project", projects, key="project", format_func=_project_name
    )
    _well(groups["Run"][0])
    for group, pages in groups.items():
        st.caption(group)
        for page in pages:
            st.page_link(page)


def _well(page: StreamlitPage) -> None:
    """Show which memory this is and how it is; look again by itself, often while it is not well."""
    drawn: set[Colour] = {_health().colour}
    st.session_state[DRAWN] = drawn

    def look() -> bool:
        now = _health()
        if show(*_identity(now), key="identity"):
            st.switch_page(page)
        return now.colour == "green" and drawn != {"green"}

    poll(look, every=LOOK_SELDOM if drawn == {"green"} else LOOK_AGAIN)


def _note_health() -> None:
    """Note how the memory is after the page has read it: it may have changed meanwhile."""
    st.session_state[DRAWN].add(_health().colour)


def _health() -> Health:
    return health(state.memory(), state.server().status())


def _identity(now: Health) -> list[Part]:
    """Return the memory's name and how it is, as parts."""
    name = state.memory().db.path
    return [
        part("div", "strong", name.name, title=str(name)),
        part(
            "div",
            "line",
            part(
                "span",
                "faint",
                part("span", f"dot {now.colour}", "\u25cf "),
                now.sentence,
                pick="health",
                title=now.reason,
                label=f"Health: {now.sentence}. {now.reason}",
            ),
        ),
    ]


def _project_name(project_id: str) -> str:
    return "All projects" if project_id == state.EVERY_PROJECT else project_id
