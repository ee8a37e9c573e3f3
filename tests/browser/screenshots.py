"""Take the pictures in docs/screenshots: ``python -m tests.browser.screenshots``.

Every page over the demonstration, light and dark, on a desk and in a hand, out of the real
program with the real model.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.running import FLAGS, ROOT, chromium, click_node, free_port, start, wait_for

FOLDER = ROOT / "docs" / "screenshots"
SIZES = {"": (1280, 860), "-narrow": (420, 860)}
PAGES = (
    *("overview", "graph", "search", "time_travel", "entity", "curate", "memories", "documents"),
    *("bottles", "librarian", "groups", "latency", "maintenance", "server", "facts"),
)
# Query parameters of each page; facts are a tab of the page Memories.
ASKED = {"entity": "entity?entity=booking-api&", "facts": "memories?show=facts&"}
# Asked beforehand, so that there is something to measure.
QUESTIONS = (
    "Why did people miss their ferry in August?",
    "Which colleague cannot eat seafood?",
    "On which weekdays may we ship to the live system?",
    "Who repairs the ticket machines?",
    "What was decided about the seat hold?",
    "colour of the moon",
    "When was the bell retired?",
    "How do refunds work?",
)
# Long enough for a machine that does much else.
PATIENCE = 600_000
CORNER_OF_GRAPH = """
() => {
  const frame = window.memoryGraph.canvas.frame.getBoundingClientRect();
  return [frame.x + 8, frame.y + 8];
}
"""


def main() -> None:
    """Start a dashboard, load the demonstration, and take each page in each theme and size."""
    parser = argparse.ArgumentParser(description="Take the pictures in docs/screenshots.")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--page", choices=PAGES, action="append", help="only this one; again: too")
    given = parser.parse_args()
    folder, pages = given.folder, given.page or PAGES
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, (Path(place) / "log").open("wb") as log:
        port = free_port()
        process = start(Path(place), port, log=log, mcp_port=free_port(4392))
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/_stcore/health", process)
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
                _take_all(browser, address, folder, pages)
                browser.close()
        finally:
            process.terminate()
            process.wait(30)


def _take_all(browser: Browser, address: str, folder: Path, pages: Sequence[str]) -> None:
    expect.set_options(timeout=PATIENCE)
    page = _opened(browser, address, "light", (1280, 860))
    load = page.get_by_role("button", name="Load the demonstration")
    load.wait_for()
    _ready(page, "empty")
    _save(page, folder / "empty-light.png")
    load.click()
    expect(page.get_by_role("heading", name="89 of 89 entities")).to_be_visible()
    expect(page.get_by_text("All is well")).to_be_visible()
    _live(page, address)
    page.context.close()
    for theme in ("light", "dark"):
        for suffix, size in SIZES.items():
            for name in pages:
                where = f"{address}/{ASKED.get(name, f'{name}?')}project=harbour"
                page = _opened(browser, where, theme, size)
                _ready(page, name)
                _save(page, folder / f"{name}-{theme}{suffix}.png")
                page.context.close()


def _live(page: Page, address: str) -> None:
    """Ask some questions and let the librarian work once, as happens in a memory in use."""
    page.goto(f"{address}/search?project=harbour")
    question = page.get_by_role("textbox", name="Question")
    for text in QUESTIONS:
        question.fill(text)
        question.press("Enter")
        page.get_by_text("total", exact=False).first.wait_for()
        page.wait_for_timeout(1500)
    page.goto(f"{address}/librarian?project=harbour")
    page.get_by_role("button", name="Run now").click()
    page.get_by_text("Done in 1 project").wait_for()
    page.get_by_role("button", name="Close").click()
    page.goto(f"{address}/groups?project=harbour")
    page.get_by_role("button", name="Rebuild groups").click()
    page.get_by_text("from a cosine of").wait_for()
    page.goto(f"{address}/maintenance?project=harbour")
    page.get_by_role("tab", name="Backups").click()
    page.get_by_role("button", name="Back up now").click()
    page.get_by_text("verified").wait_for()


def _opened(browser: Browser, address: str, theme: Any, size: tuple[int, int]) -> Page:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address.replace("/overview", ""))
    page.get_by_role("heading").first.wait_for()
    return page


def _ready(page: Page, name: str) -> None:
    """Bring a page to what it is for, and wait until it shows that."""
    if name == "search":
        question = page.get_by_role("textbox", name="Question")
        question.fill("Why did people miss their ferry in August?")
        question.press("Enter")
        page.get_by_text("vector #1").first.wait_for()
    if name == "latency":
        page.get_by_role("radio", name="15m").click()
    if name in ("overview", "search", "latency", "groups"):
        page.locator(".js-plotly-plot").first.wait_for()
    if name == "graph":
        click_node(page, "booking-api")
        page.get_by_text("also bookings service").wait_for(state="attached")
        page.mouse.move(*page.evaluate(CORNER_OF_GRAPH))
    if name in ("memories", "documents", "facts"):
        _pick_first_row(page)
    if name == "maintenance":
        page.get_by_role("button", name="Check everything").click()
        page.get_by_text("Full check at").wait_for()
    if name == "server":
        # Hide the paths of this machine.
        page.get_by_text("macOS").click()
        page.get_by_text("/Users/you").first.wait_for()
    page.wait_for_load_state("networkidle")
    # What is still on its way is drawn as a grey bar.
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    page.wait_for_timeout(1500)
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)


def _pick_first_row(page: Page) -> None:
    """Tick the first row of a table, which is drawn: there is no element to click on."""
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    page.wait_for_timeout(1500)
    table = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    assert table is not None
    page.mouse.click(table["x"] + 18, table["y"] + 52)
    page.get_by_role("button", name="Close").wait_for()
    page.mouse.move(2, 2)


def _save(page: Page, path: Path) -> None:
    """Write a picture as small as it gets without losing a colour."""
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").save(path, optimize=True)


if __name__ == "__main__":
    main()
