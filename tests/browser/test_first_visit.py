from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.running import click_node


def heading(page, text):
    return page.get_by_role("heading", name=re.compile(text))


def reach_by_key(page):
    """Go on to the next node and pick it, by keys alone; return its name as it is read out."""
    page.get_by_role("application").press("n")
    status = page.locator("#status")
    expect(status).to_have_text(re.compile(r"^\d+ of 89: "))
    page.get_by_role("application").press("Enter")
    return status.text_content().partition(": ")[2].splitlines()[0]


def test_a_newcomer_loads_the_demonstration_searches_and_looks_round(dashboard, page):
    page.goto(dashboard)
    page.get_by_role("button", name="Load the demonstration").click()
    expect(heading(page, "89 of 89 entities changed today")).to_be_visible()
    expect(page.get_by_text("All is well")).to_be_visible()

    page.get_by_role("link", name="Search").click()
    question = page.get_by_role("textbox", name="Question")
    question.fill("Which colleague cannot eat seafood?")
    question.press("Enter")
    expect(heading(page, "results by words and meaning")).to_be_visible()
    expect(page.get_by_text("Tomasz is allergic to shellfish")).to_be_visible()

    page.get_by_role("link", name="Graph").click()
    expect(heading(page, "89 entities, 153 relations")).to_be_visible()
    click_node(page, "booking-api")
    expect(page.get_by_role("heading", name="booking-api")).to_be_visible()
    expect(page.get_by_text("also bookings service, the API")).to_be_visible()
    reached = reach_by_key(page)
    assert "booking-api" != reached
    expect(page.get_by_role("heading", name=reached, exact=True)).to_be_visible()

    page.get_by_role("link", name="Server and settings").click()
    expect(heading(page, "The MCP server answers on localhost")).to_be_visible()

    assert [] == page.outside


def test_markup_in_a_name_stays_text(dashboard, page):
    page.goto(f"{dashboard}/search")
    question = page.get_by_role("textbox", name="Question")
    question.fill("<img src=http://127.0.0.9/x.png onerror=window.hurt=1> ![x](http://127.0.0.9/)")
    question.press("Enter")
    expect(heading(page, "results? by|Nothing answers")).to_be_visible()

    assert page.evaluate("window.hurt") is None
    assert [] == [address for address in page.outside if "127.0.0.9" in address]


def test_the_overview_can_be_linked_to_like_every_other_page(page, dashboard):
    page.goto(f"{dashboard}/overview?project=nowhere")

    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.get_by_role("link", name="Graph")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert [] == page.outside
