from __future__ import annotations

import itertools
from types import SimpleNamespace

from streamlit.testing.v1 import AppTest
from support import PATIENCE

from dashboard import frame
from dashboard.health import Check, Health
from dashboard.work import job_progress


def press(app, label):
    return next(button for button in app.button if button.label == label).click().run()


def test_a_click_counts_though_what_is_watched_was_over_when_its_run_began():
    def page():
        import streamlit as st

        from dashboard.work.polling import poll

        poll(lambda: True, every=60)
        if st.button("Save"):
            st.text("saved")

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    press(app, "Save")

    assert ["saved"] == [text.value for text in app.text]


def test_a_click_counts_though_the_memory_got_well_in_that_very_moment(
    visit, its_memory, monkeypatch
):
    app = visit("overview")
    colours = itertools.cycle(("amber", "green"))
    monkeypatch.setattr(
        frame, "health", lambda *_: Health((Check("Vectors", next(colours), "as it is"),))
    )
    press(app, "Load the demonstration")

    assert not app.exception
    assert ["89 of 89 entities changed today"] == [title.value for title in app.title]


def test_a_click_counts_though_long_work_ended_in_that_very_moment(monkeypatch):
    def page():
        import streamlit as st

        from dashboard.work.job_progress import show_progress

        show_progress("reindex")
        if st.button("Save"):
            st.text("saved")

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    found = (SimpleNamespace(state=state) for state in itertools.cycle(("running", "done")))
    monkeypatch.setattr(job_progress.jobs, "find_job", lambda _: next(found))
    press(app, "Save")

    assert not app.exception
    assert ["saved"] == [text.value for text in app.text]


def test_a_page_that_was_written_into_while_it_was_drawn_is_drawn_anew(
    visit, its_memory, monkeypatch
):
    looks, now = [], []
    monkeypatch.setattr(frame, "poll", lambda look, *, every: looks.append(look))
    monkeypatch.setattr(frame, "health", lambda *_: Health((Check("Vectors", now[0], "so"),)))
    monkeypatch.setattr(frame.StreamlitPage, "run", lambda page: now.insert(0, "amber"))
    monkeypatch.setattr(frame, "show", lambda *parts, key: "")
    now.append("green")
    visit("overview")
    over = []
    for colour in ("amber", "green"):
        now.insert(0, colour)
        over.append(looks[-1]())

    assert [False, True] == over
