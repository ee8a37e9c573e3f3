from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from memory_core import acting_as, open_memory
from memory_core.clock import utc_now
from tests.browser.calling import served


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    """A dashboard over a small memory of ten days, and that memory, open here as well."""
    folder = tmp_path_factory.mktemp("editing")
    at = [utc_now() - timedelta(days=10)]
    memory = open_memory(path=folder / "memory.db", clock=lambda: at[0])
    memory.graph.create_entity(
        "Legacy cache", "technology", project_id="attic", id="cache", observations=["old"]
    )
    memory.graph.create_entity("Ann", "person", id="ann", observations=["likes tea"])
    memory.graph.create_entity("Bob", "person", id="bob")
    at[0] += timedelta(days=9, hours=20)
    with acting_as("cursor"):
        memory.graph.delete_entity("cache", project_id="attic")
    at[0] += timedelta(hours=4)
    try:
        with served(folder) as (address, _):
            yield address, memory
    finally:
        memory.close()


def test_what_was_deleted_is_restored_from_the_past(page, crew):
    address, memory = crew
    page.goto(f"{address}/time_travel?project=attic")
    page.get_by_text("Legacy cache").first.wait_for()
    page.get_by_role("button", name="Restore").first.click()
    expect(page.get_by_text("Legacy cache was restored.")).to_be_visible()

    assert 1 == memory.curation.list_observations(project_id="attic", entity_id="cache").total
    assert [] == page.outside


def test_an_edit_does_not_overwrite_what_came_meanwhile(page, crew):
    address, memory = crew
    page.goto(f"{address}/entity?project=default&entity=ann")
    page.get_by_role("tab", name="Edit").click()
    page.get_by_role("textbox", name="Certainty").fill("guessed")
    with acting_as("cursor"):
        memory.graph.update_entity("ann", properties={"team": "sails"})
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("This entity was changed while you were editing it")).to_be_visible()
    before = memory.graph.get_entity("ann").entity.certainty
    page.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_text("This entity was changed while")).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Ann was changed.").wait_for()

    entity = memory.graph.get_entity("ann").entity
    assert "guessed" != before
    assert ("guessed", {"team": "sails"}) == (entity.certainty, entity.properties)
