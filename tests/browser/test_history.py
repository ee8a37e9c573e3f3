"""Looking around in the graph and back in time, in a real browser against the real program."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from memory_core import acting_as, open_memory
from memory_core.clock import utc_now
from tests.browser.calling import served
from tests.browser.running import click_node

PLACES = "window.memoryGraph.getPositions()"


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    """A dashboard over a shipyard of ten days, some of which went yesterday, and that memory."""
    folder = tmp_path_factory.mktemp("looking_back")
    at = [utc_now() - timedelta(days=10)]
    memory = open_memory(path=folder / "memory.db", clock=lambda: at[0])
    common = {"project_id": "yard"}
    memory.graph.create_entity("Crane", "component", id="crane", observations=["lifts"], **common)
    for name in ("Dock", "Quay", "Slip"):
        memory.graph.create_entity(name, "place", id=name.lower(), **common)
    memory.relations.create_relation("crane", "dock", "LOCATED_IN", **common)
    memory.relations.create_relation("dock", "quay", "PART_OF", **common)
    memory.relations.create_relation("slip", "quay", "PART_OF", **common)
    at[0] += timedelta(days=9, hours=20)
    with acting_as("cursor"):
        memory.relations.delete_relation("dock", "quay", "PART_OF", **common)
        memory.graph.update_entity("crane", name="Old crane", **common)
        (fact,) = memory.atlas.card("crane", **common).observations
        memory.observations.update_observation(fact.id, "is broken", **common)
        memory.graph.delete_entity("slip", **common)
    at[0] += timedelta(hours=4)
    try:
        with served(folder) as (address, _):
            yield address, memory
    finally:
        memory.close()


def row(page, words):
    """The row of the differences that says this, with its buttons."""
    return (
        page.get_by_role("tabpanel")
        .first.locator("[data-testid=stHorizontalBlock]")
        .filter(has_text=words)
    )


def test_a_click_on_a_node_opens_its_card_and_moves_nothing(page, yard):
    address, _ = yard
    page.goto(f"{address}/graph?project=yard")
    click_node(page, "Dock")
    expect(page.get_by_role("heading", name="Dock")).to_be_visible()
    before = page.evaluate(PLACES)
    click_node(page, "Old crane")
    expect(page.get_by_role("tabpanel", name="Details").get_by_text("is broken")).to_be_visible()
    page.get_by_role("tab", name="History").click()
    expect(page.get_by_text("entity changed")).to_be_visible()
    page.get_by_role("tab", name="Edit").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Old crane")
    after = page.evaluate(PLACES)
    types = page.locator("[data-testid=stMultiSelect]").filter(has_text="Types")
    types.locator("input").click()
    page.get_by_role("option", name="place").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="2 entities, 0 relations")).to_be_visible()
    page.wait_for_function("Object.keys(window.memoryGraph.getPositions()).length === 2")
    fewer = page.evaluate(PLACES)

    assert before == after
    assert fewer == {row_id: before[row_id] for row_id in fewer}
    assert [] == page.outside


def test_a_path_is_drawn_and_told(page, yard):
    address, _ = yard
    page.goto(f"{address}/graph?project=yard")
    click_node(page, "Dock")
    page.get_by_role("button", name="Path from it").click()
    to = page.get_by_role("textbox", name="To", exact=True)
    to.fill("Quay")
    to.press("Enter")
    expect(page.get_by_text("No path leads from Dock to Quay")).to_be_visible()
    to.fill("crane")
    to.press("Enter")
    expect(page.get_by_text("1 hop from Dock to Old crane")).to_be_visible()
    page.wait_for_function(
        "window.memoryGraph.body.data.edges.get().filter(e => e.width === 4).length === 1"
    )

    assert [] == page.outside


def test_what_went_is_restored_from_the_past(page, yard):
    address, memory = yard
    page.goto(f"{address}/time_travel?project=yard")
    expect(page.get_by_role("heading", name="0 added, 2 changed, 3 removed")).to_be_visible()
    page.get_by_role("tab", name="The graph then").click()
    click_node(page, "~ Crane")
    expect(page.get_by_text("Changes to Crane since")).to_be_visible()
    page.get_by_role("tab", name="What changed").click()
    for words in ("entity changed Old crane", "observation changed", "relation removed dock"):
        row(page, words).get_by_role("button", name="Restore").click()
        expect(page.get_by_text("was restored")).to_be_visible()
        expect(row(page, words)).to_have_count(0)
    row(page, "entity removed Slip").get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Slip was restored")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("Nothing differs"))).to_be_visible()
    crane = memory.atlas.card("crane", project_id="yard")
    back = memory.atlas.card("quay", project_id="yard").relation_count
    page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(page.get_by_text("Undone: Slip")).to_be_visible()

    assert ("Crane", ["lifts"]) == (crane.entity.name, [o.content for o in crane.observations])
    assert (2, 1) == (back, memory.atlas.card("quay", project_id="yard").relation_count)
    assert [] == page.outside
