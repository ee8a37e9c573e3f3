"""The facts of a conversation, drawn once more from the page."""

from __future__ import annotations

import threading

from scripted import contents, unreachable, use
from scripted import facts as answer
from support import PATIENCE

from dashboard.facts.reextract import JOB_NAME
from dashboard.work import jobs
from memory_core.model.scope import Scope
from tests.dashboard.reading import pressed, titles

HARBOUR = "harbour"
BEN = Scope(project_id=HARBOUR, user_id="ben")


def test_a_failed_conversation_is_tried_again(visit, its_memory):
    use(its_memory, unreachable(), unreachable(), answer("Ben sings"))
    id = its_memory.conversation.add_messages("I sing.", BEN).job_id
    app = opened(visit, id)
    pressed(app, "Try again")
    drawn(app)
    errors, reasons = [e.value for e in app.error], [code.value for code in app.code]
    pressed(app, "Try again")
    drawn(app)

    assert not app.exception
    assert 1 == len(errors) and "No fact was stored" in errors[0]
    assert any("did not answer in time" in reason for reason in reasons)
    assert ["Ben sings"] == contents(its_memory, BEN)
    assert ["Every conversation has its facts"] == titles(app)


def test_drawing_again_can_be_stopped_and_is_not_lost(visit, its_memory):
    use(its_memory, unreachable())
    id = its_memory.conversation.add_messages("I sing.", BEN).job_id
    asked, gate = use(its_memory, answer("Ben sings")), threading.Event()
    at_once, complete = asked.complete, asked.complete
    asked.complete = lambda prompt: (gate.wait(PATIENCE), complete(prompt))[1]
    app = opened(visit, id)
    pressed(app, "Try again")
    shown, retry = app.get("progress"), next(b for b in app.button if b.label == "Try again")
    pressed(app, "Cancel")
    gate.set()
    drawn(app)
    stopped, known = [w.value for w in app.warning], contents(its_memory, BEN)
    asked.complete = at_once
    pressed(app, "Try again")
    drawn(app)

    assert not app.exception
    assert 1 == len(shown) and retry.disabled
    assert 1 == len(stopped) and stopped[0].startswith("Cancelled. No fact was stored")
    assert ([], ["Ben sings"]) == (known, contents(its_memory, BEN))
    assert 1 == len(asked.asked)


def opened(visit, id):
    return visit("memories", project=HARBOUR, show="jobs", job_picked=id)


def drawn(app):
    """Wait until the extraction has ended and render the page again."""
    if job := jobs.find_job(JOB_NAME):
        assert job.wait(PATIENCE)
        app.run()
