"""Every page over 20,000 entities: it reads what it shows, and says of how much."""

from __future__ import annotations

import re

import pytest
import streamlit as st

from dashboard.components.formatting import number
from tests.dashboard.reading import pressed, titles
from tests.dashboard.reads import counted

pytestmark = pytest.mark.slow

PAGES = (
    "overview",
    "graph",
    "search",
    "time_travel",
    "entity",
    "curate",
    "memories",
    "documents",
    "bottles",
    "librarian",
    "groups",
    "latency",
    "maintenance",
    "server",
)
# A quarter of the entities: reading the whole graph reads more than that.
MOST_ROWS = 5_000
MOST_STATEMENTS = 1_500
# Some hundred for each entity; to compare every row with every other takes a thousand times that.
MOST_STEPS = 15_000_000
# What a page may ask for again though nothing has changed.
MOST_AGAIN = 150
QUESTION = "kel brom dast"


@pytest.fixture(scope="module", autouse=True)
def searched(big_memory):
    """Search once: the vectors and the filter are read once in the life of a process."""
    big_memory.search.search_memory("anything", project_id="*")


@pytest.fixture(scope="module")
def hub(big_memory):
    """The entity that has more relations than any other."""
    node = big_memory.atlas.most_salient(project_id="atlas", limit=1).nodes[0]
    return node.project_id, node.id


@pytest.fixture
def reads(monkeypatch):
    st.cache_data.clear()
    with counted(monkeypatch) as reads:
        yield reads


@pytest.mark.parametrize("page", PAGES)
def test_a_page_reads_what_it_shows(visit, big_memory, hub, reads, page):
    asked = {"entity_asked": hub} if page == "entity" else {}
    first = visit(page, query=QUESTION, **asked)
    once, steps, rows = reads.statements, reads.steps, reads.rows.copy()
    reads.forget()
    again = visit(page, query=QUESTION, **asked)

    assert not first.exception
    assert not again.exception
    assert not first.error
    assert rows.total() < MOST_ROWS, rows.most_common(3)
    assert once < MOST_STATEMENTS
    assert steps < MOST_STEPS
    # A stretch that ends now is another one as soon as the minute has passed.
    assert reads.statements < (MOST_STATEMENTS if page == "time_travel" else MOST_AGAIN)


@pytest.mark.parametrize("project", ["*", "billing"])
def test_numbers_agree_across_pages(visit, big_memory, project):
    overview = visit("overview", project=project)
    figures = {metric.label: metric.value for metric in overview.metric}
    entities = sum(big_memory.overview.list_types(project_id=project).values())
    listed = big_memory.graph.list_entities(project_id=project, limit=1).total

    said = {page: titles(visit(page, project=project))[0] for page in PAGES if page != "entity"}

    assert entities == listed
    assert number(entities) == figures["Entities"] == first_number(said["curate"])
    assert f"of {number(entities)} entities" in said["overview"]
    assert any(
        f"of {number(entities)} " in caption.value
        for caption in visit("graph", project=project).caption
    )
    documents = big_memory.knowledge.list_documents(project_id=project, limit=1).total
    assert number(documents) == figures["Documents"] == first_number(said["documents"])
    noticed = big_memory.suggestions.list_suggestions(project_id=project).total
    assert number(noticed) == first_number(said["librarian"])
    bottles = big_memory.bottles.list_bottles(project_id=project).total
    assert number(bottles) == first_number(said["bottles"])


@pytest.mark.parametrize(
    ("page", "button", "size"),
    [
        ("curate", "curate_next", 50),
        ("memories", "entries_pages_next", 50),
        ("documents", "documents_pages_next", 50),
        ("bottles", "bottles_next", 20),
        ("librarian", "review_next", 10),
    ],
)
def test_a_list_goes_on_to_its_next_page_and_back(visit, big_memory, page, button, size):
    app = visit(page)
    before = shown(app)
    app.button(key=button).click().run()
    after = shown(app)
    app.button(key=button.replace("next", "back")).click().run()

    assert not app.exception
    total = before.rsplit(" ", 1)[1]
    assert f"showing 1\u2013{size} of {total}" == before == shown(app)
    assert f"showing {size + 1}\u2013{2 * size} of {total}" == after


def test_the_graph_draws_a_part_and_says_so(visit, big_memory):
    app = visit("graph")
    before = [caption.value for caption in app.caption]
    pressed(app, "More")

    assert not app.exception
    assert any(text.startswith("showing 150 of 19\u2009") for text in before)
    assert any(text.value.startswith("showing 400 of 19\u2009") for text in app.caption)


def test_a_name_is_found_among_all(visit, big_memory):
    last = big_memory.graph.list_entities(project_id="notes", limit=200, query="str").entities[-1]
    app = visit("curate", project="notes")
    next(field for field in app.text_input if field.key == "curate_find").input(last.name).run()

    assert not app.exception
    total = big_memory.graph.list_entities(project_id="notes", query=last.name, limit=1).total
    assert f"of {number(total)}" in shown(app)


def shown(app):
    """Return what the page's own list says of itself."""
    return next(text.value for text in app.caption if text.value.startswith("showing "))


def first_number(title):
    """Return the first number of a sentence, as it is written there."""
    return re.match(r"[\d\u2009]+", title).group()
