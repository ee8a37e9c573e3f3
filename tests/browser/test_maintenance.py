"""Tending a memory in a real browser: reviewing what was noticed, and handing over bottles."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from memory_core import acting_as, open_memory
from tests.browser.calling import called, served


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A dashboard over a shop whose orders service is there twice, and where its MCP is."""
    folder = tmp_path_factory.mktemp("tending")
    fact = "serves all orders of the shop"
    made = open_memory(path=folder / "memory.db")
    with acting_as("cursor"):
        for project in ("shop", "kiosk", "stall"):
            for name, id in (("Shop Orders \u00c1pi", "first"), ("Shop Orders Api", "second")):
                made.graph.create_entity(
                    name, "service", project_id=project, id=id, observations=[fact]
                )
    made.close()
    with served(folder) as addresses:
        yield addresses


def heading(page, text):
    return page.get_by_role("heading", name=re.compile(text))


def test_the_librarian_is_run_and_what_it_noticed_is_reviewed(page, shop):
    address, mcp = shop
    page.goto(f"{address}/librarian?project=shop")
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("Done in 1 project.")).to_be_visible()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("Merging it into the first moves 1 observation")).to_be_visible()
    page.get_by_role("button", name="Merge into first").click()
    expect(page.get_by_text("The duplicates were merged.")).to_be_visible()
    merged = called(mcp, "list_entities", project_id="shop")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("Undone: ")).to_be_visible()
    parted = called(mcp, "list_entities", project_id="shop")

    assert (1, 2) == (merged["total"], parted["total"])
    assert [] == page.outside


def test_what_was_rejected_is_not_noticed_again(page, shop):
    address, mcp = shop
    page.goto(f"{address}/librarian?project=kiosk")
    page.get_by_role("button", name="Dry run").click()
    expect(page.get_by_text("nothing was written.")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Not a duplicate")).to_have_count(0)
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("Done in 1 project.")).to_be_visible()
    page.get_by_role("button", name="Not a duplicate").click()
    expect(page.get_by_text("A suggestion was rejected and will not return.")).to_be_visible()
    called(mcp, "add_observation", entity_id="first", content="is old", project_id="kiosk")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("Done in 1 project.")).to_be_visible()

    expect(page.get_by_role("button", name="Not a duplicate")).to_have_count(0)
    assert 2 == called(mcp, "list_entities", project_id="kiosk")["total"]
    assert [] == page.outside


def test_a_cycle_is_undone_as_a_whole(page, shop):
    address, _ = shop
    page.goto(f"{address}/librarian?project=stall")
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("Done in 1 project.")).to_be_visible()
    expect(page.get_by_role("button", name="Not a duplicate")).to_be_visible()
    page.get_by_role("tab", name="Cycles").click()
    page.get_by_role("button", name="What would an undo do?").click()
    expect(page.get_by_text("Would revert: 1 suggestion")).to_be_visible()
    page.get_by_role("button", name="Undo this cycle").click()
    expect(page.get_by_text("was undone.")).to_be_visible()
    page.get_by_role("tab", name="Review").click()

    expect(heading(page, "Nothing that the librarian noticed")).to_be_visible()
    expect(page.get_by_role("button", name="Not a duplicate")).to_have_count(0)
    assert [] == page.outside


def test_a_bottle_goes_from_a_client_to_the_page_and_back(page, shop):
    address, mcp = shop
    called(mcp, "create_bottle", message="mind <b>the gap</b>", project_id="shop")
    page.goto(f"{address}/bottles?project=shop")
    expect(heading(page, "1 bottle waits to be read")).to_be_visible()
    expect(page.get_by_text("mind <b>the gap</b>")).to_be_visible()
    page.get_by_role("button", name="Acknowledge", exact=True).click()
    expect(heading(page, "No bottle waits to be read")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill("it is closed now")
    page.get_by_role("button", name="Leave the bottle").click()
    expect(page.get_by_text("A bottle was left.")).to_be_visible()
    found = called(mcp, "get_bottles", include_acknowledged=True, project_id="shop")

    read = {each["message"]: each["acknowledged_by"] for each in found["bottles"]}
    assert {"mind <b>the gap</b>": "dashboard", "it is closed now": ""} == read
    assert [] == page.outside
