"""Every page in a real browser: wide and narrow, light and dark, over names that are traps."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from memory_core import acting_as, open_memory
from tests.browser.calling import served

TRAPS = (
    "<script>window.hurt = 1</script>",
    "</script><img src=http://127.0.0.9/x.png onerror='window.hurt = 1'>",
    '"><svg onload="window.hurt = 1">',
    "![x](http://127.0.0.9/y.png) [click](javascript:window.hurt=1)",
    "'quoted' \"twice\" `code` $x^2$ :red[red] --> <!--",
)
PAGES = (
    *("", "graph", "search", "time_travel", "entity", "curate", "memories", "documents"),
    *("bottles", "librarian", "groups", "latency", "maintenance", "server"),
)
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 420, "height": 860}

# How far the page, or the place in it that scrolls, is wider than what is seen of it.
_TOO_WIDE = """
() => Math.max(...[document.scrollingElement, document.querySelector('[data-testid=stMain]')]
  .map(each => each.scrollWidth - each.clientWidth))
"""
_SETTLED = """
() => document.querySelector('[data-testid=stApp]')
  ?.getAttribute('data-test-script-state') === 'notRunning' && document.querySelector('h1')
"""


@pytest.fixture(scope="module")
def trapped(tmp_path_factory):
    """A dashboard over a memory in which everything that can have a name has a hostile one."""
    folder = tmp_path_factory.mktemp("traps")
    made = open_memory(path=folder / "memory.db")
    with acting_as("cursor"):
        for number, trap in enumerate(TRAPS):
            made.graph.create_entity(
                trap,
                "person",
                id=f"trap-{number}",
                aliases=[f"also {trap}"],
                properties={trap: trap},
                observations=[trap],
            )
            tags = [f"{n} {trap}" for n in range(5)]
            made.entries.write_entry(
                trap[:200], tags, category="other", context_text=trap, is_time_sensitive=True
            )
            made.knowledge.add_document(f"{trap}.md", f"# {trap}\n\n{trap}", source=trap)
            made.bottles.create_bottle(trap, recipient=trap, priority="urgent")
        made.relations.create_relation("trap-0", "trap-1", "KNOWS", properties={"why": TRAPS[2]})
        made.lifecycle.archive_entities("trap-4", TRAPS[3])
        made.librarian.run_cycle()
        made.search.search_memory(TRAPS[0])
    made.close()
    with served(folder) as addresses:
        yield addresses[0]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_runs_nothing_of_what_is_remembered(page, trapped, name):
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.goto(f"{trapped}/{name}" + ("?project=default&entity=trap-0" if name == "entity" else ""))
    if name == "search":
        page.get_by_role("textbox", name="Question").fill(TRAPS[1])
        page.get_by_role("textbox", name="Question").press("Enter")
        expect(page.get_by_text("results").first).to_be_visible()
    too_wide = {}
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(_SETTLED)
            too_wide[size["width"], scheme] = page.evaluate(_TOO_WIDE)

    assert dict.fromkeys(too_wide, 0) == too_wide
    assert 0 == page.locator("[data-testid=stException]").count()
    assert page.evaluate("window.hurt") is None
    assert ([], []) == (asked, page.outside)
