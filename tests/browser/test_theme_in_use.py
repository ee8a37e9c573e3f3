from __future__ import annotations

import tomllib

import pytest
from playwright.sync_api import expect

from memory_core import open_memory
from tests.browser.calling import served
from tests.browser.running import ROOT

THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]


@pytest.fixture(scope="module")
def remembering(tmp_path_factory):
    """A dashboard over a memory with one entry, so that its page has tabs and a choice."""
    folder = tmp_path_factory.mktemp("theme")
    made = open_memory(path=folder / "memory.db")
    made.entries.write_entry(
        "Tea at four", ["tea", "time", "habit", "day", "break"], category="other"
    )
    made.close()
    with served(folder) as addresses:
        yield addresses[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_chosen_has_the_colour_of_links(page, remembering, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{remembering}/memories")
    written = "rgb({}, {}, {})".format(*bytes.fromhex(THEMES[scheme]["linkColor"][1:]))

    expect(page.get_by_role("tab", selected=True)).to_have_css("color", written)
    expect(page.locator("[data-testid=stButtonGroup] [data-selected]")).to_have_css(
        "color", written
    )
    page.goto(f"{remembering}/maintenance")
    button = page.get_by_role("button", name="Rebuild vectors")
    button.hover()
    expect(button).to_have_css("color", written)
