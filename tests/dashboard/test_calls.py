from __future__ import annotations

from datetime import UTC, datetime

from dashboard.server.calls import call_parts
from dashboard.state import ACTOR
from memory_core import ValidationError, acting_as
from memory_core.model.search.statistics import RecordedCall
from tests.dashboard.reading import TRAP, texts_read_as_markdown

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def call(memory, operation, *, by, project="default", failing=False):
    """Leave behind what a call of a tool leaves behind."""
    try:
        with acting_as(by), memory.telemetry.trace(operation, project_id=project):
            if failing:
                raise ValidationError("no")
    except ValidationError:
        pass


def test_a_call_is_told_with_who_where_how_long_and_how_it_ended():
    failed = RecordedCall(
        at=NOW,
        operation="memory_query",
        actor="cursor",
        project_id="harbour",
        milliseconds=12.34,
        hits=0,
        error="NOT_FOUND",
    )
    reported = str(call_parts(failed, NOW))

    for words in ("memory_query", "cursor \u00b7 harbour \u00b7 found 0", "12.3 ms", "NOT_FOUND"):
        assert words in reported


def test_the_page_shows_the_calls_of_clients_and_not_its_own(visit, its_memory):
    call(its_memory, "create_entity", by=TRAP, failing=True)
    call(its_memory, "search", by=ACTOR)
    app = visit("server")

    assert not app.exception
    assert ["Latest calls"] == [each.value for each in app.subheader][:1]
    assert [] == [text for text in texts_read_as_markdown(app) if "alert(1)" in text]
    assert ["create_entity"] == [
        each.operation for each in its_memory.statistics.call_statistics(but_by=ACTOR)
    ]


def test_the_page_says_what_will_be_shown_while_nobody_has_called(visit, its_memory):
    call(its_memory, "create_entity", by="cursor", project="other")
    its_memory.graph.create_entity("Ann", "person", project_id="mine")
    reported = {
        where: [each.value for each in visit("server", project=where).markdown]
        for where in ("mine", "*")
    }

    assert any("Each tool call" in each for each in reported["mine"])
    assert not any("Each tool call" in each for each in reported["*"])
