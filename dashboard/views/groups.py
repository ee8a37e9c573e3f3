"""Groups of entries: which there are, where they lie, and what other settings would make."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from dashboard import state, tables
from dashboard.charts import CONFIG
from dashboard.components.cursors import SIZE, Pages
from dashboard.components.elements import part, show
from dashboard.components.formatting import ago, format_count, number
from dashboard.components.lazy_tabs import fold
from dashboard.components.links import open_entries
from dashboard.components.paging import offset_of, pager
from dashboard.entries.group_charts import group_map_figure, group_parts, legend_parts
from dashboard.saving import undo, undo_offer
from dashboard.work import jobs
from dashboard.work.job_progress import show_failure, show_progress
from memory_core import NotFoundError, new_id
from memory_core.model.facts.groups import GroupMap, MapGroup, RebuiltGroups
from memory_core.model.scope import Scope

# A memory of some thousand entries is through by then: the page answers at once.
AT_ONCE = 1.5
K_LOW, K_HIGH = 2, 12


def page() -> None:
    heading = st.container()
    undo.show_offer()
    owners = _owners(state.project(), state.version())
    if not owners:
        with heading:
            st.title("There is no entry to be grouped yet")
        _teach()
        return
    scope = st.selectbox("Whose", owners, format_func=_name_of) if len(owners) > 1 else owners[0]
    working = _work(scope)
    tried = st.session_state.get("groups_tried")
    is_tried = tried is not None and tried[0] == scope
    drawn: GroupMap = tried[1] if tried and is_tried else _load_stored(scope)
    with heading:
        st.title(_sentence(drawn, is_tried))
        _figures(drawn)
    left, right = st.columns([5, 2], gap="large")
    with right:
        _settings(scope, drawn, is_tried, working)
    with left:
        _map(drawn)
    if drawn.groups:
        _groups(drawn, scope, is_tried)


def _sentence(drawn: GroupMap, is_tried: bool) -> str:
    groups = format_count(len(drawn.groups), "group")
    if is_tried:
        return (
            f"Tried, not stored: {groups} among {format_count(drawn.entries, 'entry', 'entries')}"
        )
    if drawn.built_at is None:
        return f"{format_count(drawn.entries, 'entry', 'entries')}, and no groups made of them yet"
    return f"{groups} among {format_count(drawn.entries, 'entry', 'entries')}"


def _figures(drawn: GroupMap) -> None:
    shared = sum(len(point.group_ids) > 1 for point in drawn.points)
    figures = (
        ("Groups", len(drawn.groups)),
        ("In no group", drawn.ungrouped),
        ("In several", shared),
        ("Waiting for a vector", drawn.pending),
    )
    with st.container(horizontal=True):
        for label, count in figures:
            st.metric(label, number(count), width=170)


def _settings(scope: Scope, drawn: GroupMap, is_tried: bool, working: bool) -> None:
    """Let other settings be tried, and be stored once they were seen."""
    chosen = {each.key: each.value for each in state.memory().entry_settings.current_settings()}
    st.subheader("Try")
    with st.form("try", border=False):
        threshold = st.slider(
            "Minimum cosine",
            0.0,
            1.0,
            float(drawn.threshold if is_tried else chosen["group_threshold"]),
            0.01,
        )
        k = st.slider(
            "Entries, all similar, that make a group",
            K_LOW,
            K_HIGH,
            int(drawn.k if is_tried else chosen["group_k"]),
        )
        if st.form_submit_button("Try", type="primary", disabled=working):
            _begin("tried", scope, threshold, k)
    if is_tried:
        st.write(
            "Nothing is stored yet. Stored, the two settings hold for all projects, and the "
            "groups here are rebuilt."
        )
        with st.container(horizontal=True):
            if st.button("Apply", type="primary", disabled=working):
                _begin("stored", scope, drawn.threshold, drawn.k)
            if st.button("Discard"):
                st.session_state.pop("groups_tried")
                st.rerun()
    elif st.button("Rebuild groups", disabled=working):
        _begin("stored", scope, float(chosen["group_threshold"]), int(chosen["group_k"]))
    _standing(drawn)


def _standing(drawn: GroupMap) -> None:
    if drawn.built_at:
        made = ago(drawn.built_at, state.memory().db.clock())
        st.caption(f"Made {made}, from {drawn.threshold:.2f} on, {drawn.k} at least.")
    if drawn.stale:
        st.caption("Entries changed since; the librarian rebuilds them later.")
    if drawn.partial:
        st.warning("The groups are not complete: it would have taken too long.")
        st.code(drawn.partial, language=None, wrap_lines=True)


def _begin(kind: str, scope: Scope, threshold: float, k: int) -> None:
    """Start the work in a thread; what is quick is waited for."""
    memory = state.memory()

    def stored() -> RebuiltGroups:
        memory.entry_settings.choose_setting("group_threshold", threshold)
        memory.entry_settings.choose_setting("group_k", k)
        return memory.groups.rebuild_groups(threshold, scope=scope)

    def tried() -> GroupMap:
        return memory.groups.preview_groups(threshold, k, scope=scope)

    name = f"groups-{new_id()}"
    st.session_state["groups_job"] = (name, scope)
    jobs.start_job(name, stored if kind == "stored" else tried).wait(AT_ONCE)
    st.rerun()


def _work(scope: Scope) -> bool:
    """Show work that was begun here, or take what it brought; return whether it goes on."""
    name, of = st.session_state.get("groups_job", ("", scope))
    job = jobs.find_job(name)
    if job is None or show_progress(name):
        return job is not None
    st.session_state.pop("groups_job")
    jobs.discard_job(name)
    if job.state == "failed":
        show_failure("The groups were not made. Those that there were are as before.", job)
    elif job.state == "stopped":
        st.warning("Cancelled. The groups that there were are as before.")
    elif isinstance(job.result, GroupMap):
        st.session_state["groups_tried"] = (of, job.result)
    elif isinstance(job.result, RebuiltGroups):
        st.session_state.pop("groups_tried", None)
        made = job.result
        goes_on = f"; {number(made.kept)} of them go on from before" if made.kept else ""
        undo_offer.report_done(
            f"Made {format_count(made.groups, 'group')} from a cosine of {made.threshold:.2f} on, "
            f"{made.k} entries at least{goes_on}."
        )
    return False


def _map(drawn: GroupMap) -> None:
    if not drawn.points:
        st.info("No entry has a vector yet. They are made in the background; look again soon.")
        return
    st.plotly_chart(
        group_map_figure(drawn, state.theme()), theme=None, config=CONFIG, key="group_map"
    )
    show(*legend_parts(drawn, state.theme()), key="group_legend")
    shown = "" if len(drawn.points) == drawn.entries else f"{number(len(drawn.points))} are drawn. "
    st.caption(
        f"{shown}Nearby points are similar. A plane shows {drawn.shown_variance:.0%} of all "
        "differences, so similar points may also be far apart. A diamond is in several groups."
    )
    fold(
        "As a table",
        lambda: st.dataframe(tables.points_table(drawn), hide_index=True),
        key="group_as_table",
    )


def _groups(drawn: GroupMap, scope: Scope, is_tried: bool) -> None:
    of = (_name_of(scope), drawn.built_at, drawn.threshold, drawn.k)
    offset = offset_of("groups", *of)
    page = drawn.groups[offset : offset + SIZE]
    left, right = st.columns([3, 2], gap="large")
    with left:
        event = st.dataframe(
            tables.groups_table(drawn, page),
            hide_index=True,
            on_select="rerun",
            selection_mode="single-row",
            key=f"groups_{offset}_{hash(of)}",
        )
        pager("groups", len(page), len(drawn.groups), size=SIZE)
    rows = [row for row in event.selection.rows if row < len(page)]
    if rows:
        st.session_state["group"] = page[rows[0]].id
    known = {group.id: group for group in drawn.groups}
    group = known.get(st.session_state.get("group", ""), page[0] if page else drawn.groups[0])
    with right:
        labels = {each.id: each.label for each in drawn.groups}
        show(*group_parts(group, labels), key="group_about")
        if is_tried:
            _tried_members(drawn, group)
        else:
            _members(group, scope)


def _tried_members(drawn: GroupMap, group: MapGroup) -> None:
    summaries = [point.summary for point in drawn.points if group.id in point.group_ids]
    show(*[part("div", "item", summary) for summary in summaries[:SIZE]], key="group_members")
    shown = min(len(summaries), SIZE)
    st.caption(f"showing 1\u2013{number(shown)} of {number(group.size)}")


def _members(group: MapGroup, scope: Scope) -> None:
    pages = Pages("members", (group.id,))
    try:
        found = state.memory().groups.list_members(
            group.id, scope=scope, offset=int(pages.cursor or 0), limit=SIZE
        )
    except NotFoundError:
        st.info("The groups were rebuilt, and this one no longer exists.")
        return
    show(
        *[
            part(
                "div",
                "item",
                part("div", "", entry.summary),
                part("div", "line", *[part("span", "chip", tag) for tag in entry.tags]),
            )
            for entry in found.members
        ],
        key="group_members",
    )
    after = str(found.next_offset) if found.next_offset >= 0 else ""
    pages.footer(len(found.members), found.group.size, after)
    if st.button("Open them in Memories"):
        open_entries([entry.id for entry in found.members])


def _teach() -> None:
    st.write(
        "Groups are found among entries by what they mean: four that are all similar form one, and "
        "an entry may be in several. Assistants write entries with memory_write; as soon as "
        "there are some, this page draws them and says which belong together."
    )


def _name_of(scope: Scope) -> str:
    return f"{scope.project_id} \u00b7 {scope.user_id}" if scope.user_id else scope.project_id


def _load_stored(scope: Scope) -> GroupMap:
    memory = state.memory()
    # Groups and vectors are not in the journal: they change without a new version.
    made = memory.groups.built_at(scope=scope)
    waiting, expired = memory.follower.pending(), state.last_expiry()
    return _load_map(scope.project_id, scope.user, state.version(), made, waiting, expired)


@st.cache_data(show_spinner=False, max_entries=16)
def _load_map(
    project: str, user: str, seq: int, built_at: datetime | None, pending: int, expired: str
) -> GroupMap:
    return state.memory().groups.group_map(scope=Scope(project_id=project, user_id=user))


@st.cache_data(show_spinner=False, max_entries=16)
def _owners(project: str, seq: int) -> list[Scope]:
    every = state.EVERY_PROJECT
    owners = state.memory().entry_status.owners()
    return [owner for owner in owners if project in (every, owner.project_id)]


page()
