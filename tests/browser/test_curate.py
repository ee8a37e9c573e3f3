from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import TimeoutError, expect

from memory_core import open_memory
from tests.browser.calling import calls, served
from tests.browser.running import PATIENCE

HEADER, LINE = 32, 31
NAME_AT = 120
TRIES = 7
CLICK_WHAT_IS_THERE = "found => found.forEach(each => each.click())"
IS_WRITTEN_IN = "document.activeElement.matches('.gdg-input')"


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A dashboard over three people, and the address of its server."""
    folder = tmp_path_factory.mktemp("curating")
    made = open_memory(path=folder / "memory.db")
    for name in ("Cid", "Bob", "Ann"):
        made.graph.create_entity(name, "person", project_id="crew", id=name.lower())
    made.close()
    with served(folder) as addresses:
        yield addresses


def names(address: str) -> dict[str, str]:
    (listed,) = calls(address, ("list_entities", {"project_id": "crew"}))
    return {each["id"]: each["name"] for each in listed["entities"]}


def open_table(page, address: str, *, find: str = "") -> None:
    page.goto(f"{address}/curate?project=crew")
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    if find:
        page.get_by_role("textbox", name="Find").fill(find)
        page.get_by_role("textbox", name="Find").press("Enter")
        page.get_by_role("heading", name="1 entity to review and edit").wait_for()


def type_name(page, row: int, text: str) -> None:
    """Type a name into a row faster than a person could, ended with Enter."""
    page.bring_to_front()
    table = page.locator("[data-testid=stDataFrame]").first
    field = page.locator(".gdg-input")
    for attempt in range(TRIES):
        # The table is drawn: that it stands where it will stay, and hears what is typed, is only
        # known when it answers. It gets longer each time, as what comes late would disturb.
        patience = 2000 * 2**attempt
        place = table.bounding_box()
        page.mouse.click(place["x"] + NAME_AT, place["y"] + HEADER + LINE * row + LINE // 2)
        page.keyboard.press("Enter")
        try:
            page.wait_for_function(IS_WRITTEN_IN, timeout=patience)
            field.fill(text, timeout=patience)
            field.press("Enter", timeout=patience)
            field.wait_for(state="detached", timeout=patience)
        except TimeoutError:
            page.keyboard.press("Escape")
        else:
            return
    raise AssertionError(f"the name {text} could not be typed")


def test_an_edit_meets_another_one_and_is_decided_saved_and_taken_back(page, desk):
    address, mcp = desk
    open_table(page, address, find="Ann")
    calls(mcp, ("update_entity", {"id": "ann", "name": "Anne", "project_id": "crew"}))
    type_name(page, 0, "Anna")
    expect(page.get_by_text("was changed by")).to_be_visible()
    for version in ("when loaded Ann", "stored now Anne", "yours Anna"):
        expect(page.get_by_text(version, exact=True)).to_be_visible()
    stored = names(mcp)["ann"]
    page.get_by_role("button", name="Keep mine").click()
    page.get_by_role("button", name="Save 1 edit").click()
    page.get_by_text("1 edit was saved.").wait_for()
    saved = names(mcp)["ann"]
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("Undone: ")).to_be_visible()

    assert ("Anne", "Anna", "Anne") == (stored, saved, names(mcp)["ann"])
    assert [] == page.outside


def test_two_tabs_and_an_assistant_write_at_once(page, desk):
    address, mcp = desk
    other = page.context.new_page()
    other.set_default_timeout(PATIENCE * 1000)
    for tab in (page, other):
        open_table(tab, address, find="Bob")
    with ThreadPoolExecutor(1) as assistant:
        fact = {"entity_id": "cid", "project_id": "crew"}
        said = [("add_observation", {**fact, "content": f"fact number {n}"}) for n in range(20)]
        writing = assistant.submit(calls, mcp, *said)
        for tab, name in ((page, "Bob of the first"), (other, "Bob of the second")):
            type_name(tab, 0, name)
            expect(tab.get_by_role("button", name="Save 1 edit")).to_be_visible()
        page.get_by_role("button", name="Save 1 edit").click()
        page.get_by_text("1 edit was saved.").wait_for()
        # A tab looks again by itself while vectors are made: it may know already, without a click.
        other.get_by_role("button", name="Save 1 edit").evaluate_all(CLICK_WHAT_IS_THERE)
        expect(other.get_by_text("was changed by dashboard")).to_be_visible()
        written = writing.result()

    assert 20 == len([each for each in written if each])
    assert "Bob of the first" == names(mcp)["bob"]
    other.get_by_role("button", name="Keep theirs").click()
    expect(other.get_by_text("was changed by dashboard")).to_be_hidden()
    expect(other.get_by_role("button", name="Save 1 edit")).to_be_hidden()
    assert "Bob of the first" == names(mcp)["bob"]
    assert [] == page.outside
