from __future__ import annotations

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest
from support import PATIENCE

from dashboard import frame
from tests.dashboard.conftest import PAGES


def tabbed():
    import streamlit as st

    from dashboard.components.lazy_tabs import fold, tabs

    if st.checkbox("Elsewhere"):
        st.stop()
    tabs(
        {"First": lambda: st.text("first"), "Second": lambda: st.text_input("Name", key="name")},
        key="tab",
    )
    fold("More", lambda: st.text("more"), key="more")


def texts(app):
    return [text.value for text in app.text] + [field.label for field in app.text_input]


@pytest.fixture
def app():
    return AppTest.from_function(tabbed, default_timeout=PATIENCE).run()


def test_behind_a_closed_tab_or_fold_there_is_nothing(app):
    assert ["first"] == texts(app)


def test_a_fold_is_filled_when_it_is_opened_and_stays(app):
    app.session_state["more"] = True
    opened = texts(app.run())
    app.session_state["more"] = False
    closed = texts(app.run())

    assert ["first", "more"] == opened == closed


def test_what_was_typed_behind_a_tab_is_still_there_after_a_look_at_another(app):
    app.session_state["tab"] = "Second"
    app.run().text_input(key="name").input("Ann").run()
    app.session_state["tab"] = "First"
    app.run()
    app.session_state["tab"] = "Second"

    assert "Ann" == app.run().text_input(key="name").value


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_made_once_when_it_opens(arrive, its_demonstration, monkeypatch, page):
    known = its_demonstration.atlas.most_salient(project_id="*", limit=1).nodes[0]
    asked = {"entity_asked": (known.project_id, known.id)} if page == "entity" else {}
    made, show_app = [], frame.show_app
    monkeypatch.setattr(frame, "show_app", lambda: made.append(page) or show_app())

    app = arrive(page, **asked)

    assert not app.exception
    assert [page] == made


def test_the_past_of_an_entity_is_read_when_somebody_looks_for_it(
    arrive, its_demonstration, monkeypatch
):
    known = its_demonstration.atlas.most_salient(project_id="*", limit=1).nodes[0]
    timelines, looked = its_demonstration.timelines, []
    changes = timelines.list_changes
    monkeypatch.setattr(
        timelines, "list_changes", lambda *a, **b: looked.append(a) or changes(*a, **b)
    )

    app = arrive("entity", entity_asked=(known.project_id, known.id))
    before = list(looked)
    app.session_state["entity_tab"] = "Past"
    app.run()

    assert not app.exception
    assert [] == before
    assert looked


def test_the_graph_of_then_and_the_timeline_are_read_when_somebody_looks_for_them(
    arrive, its_demonstration, monkeypatch
):
    memory, looked = its_demonstration, []
    for service, name in ((memory.history, "past_graph"), (memory.timelines, "list_events")):
        real = getattr(service, name)
        monkeypatch.setattr(
            service, name, lambda *a, n=name, r=real, **b: looked.append(n) or r(*a, **b)
        )

    app = arrive("time_travel", preset="Since the beginning")
    before = list(looked)
    for tab in ("The graph then", "Timeline"):
        app.session_state["travel_tab"] = tab
        app.run()

    assert not app.exception
    assert [] == before
    assert ["past_graph", "list_events"] == looked


def test_the_graph_is_read_once_when_no_filter_is_set(arrive, its_demonstration, monkeypatch):
    atlas, read = its_demonstration.atlas, []
    real = atlas.most_salient
    monkeypatch.setattr(atlas, "most_salient", lambda **how: read.append(how) or real(**how))

    app = arrive("graph")

    assert not app.exception
    assert 1 == len(read)


def test_no_page_waits_for_a_search_through_all_memory_for_garbage():
    assert not config.get_option("runner.postScriptGC")
