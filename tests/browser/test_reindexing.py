from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect
from support import HashingEmbedder

from memory_core import open_memory
from tests.browser.calling import called, calls, served

KNOWN, WRITTEN = 240, 30


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    """A dashboard over a memory whose vectors are all of another model, and its server."""
    folder = tmp_path_factory.mktemp("reindexing")
    made = open_memory(path=folder / "memory.db", embedder=HashingEmbedder())
    made.graph.create_entity("Yard", "place", project_id="yard", id="yard")
    for number in range(0, KNOWN, 40):
        made.graph.create_entity(
            f"Berth {number}",
            "place",
            project_id="yard",
            observations=[f"boat {n} lies in berth {number}" for n in range(number, number + 40)],
        )
    made.catch_up()
    made.close()
    with served(folder) as addresses:
        yield addresses


def test_vectors_are_made_anew_while_an_assistant_writes(page, yard):
    address, mcp = yard
    page.goto(f"{address}/maintenance?project=yard")
    page.get_by_role("button", name="Rebuild vectors").click()
    with ThreadPoolExecutor(1) as assistant:
        facts = [f"keel{number} was laid on slip {number}" for number in range(WRITTEN)]
        writing = assistant.submit(
            calls,
            mcp,
            *(
                (
                    "add_observation",
                    {"entity_id": "yard", "content": fact, "project_id": "yard"},
                )
                for fact in facts
            ),
        )
        expect(page.get_by_text("vectors made.")).to_be_visible()
        written = writing.result()
    expect(page.get_by_text("0 texts waiting for a vector")).to_be_visible()
    found = calls(
        mcp,
        *(
            ("search_memory", {"query": fact.split()[0], "project_id": "yard", "limit": 1})
            for fact in facts
        ),
    )
    like = called(mcp, "search_memory", query="where is the boat berthed", project_id="yard")

    assert WRITTEN == len(written)
    assert facts == [each["hits"][0]["passages"][0]["text"] for each in found]
    assert "full text alone" not in like.get("notice", "")
    expect(page.get_by_text("Nothing is wrong at a quick look")).to_be_visible()
    assert 0 == page.locator("[data-testid=stException]").count()
    assert [] == page.outside
