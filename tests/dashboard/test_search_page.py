from __future__ import annotations

import pytest

from dashboard.components import links
from dashboard.components.links import open_target, target_of
from dashboard.search import comparison
from memory_core import acting_as
from memory_core.model.search.results import (
    HitDocument,
    HitEntity,
    HitEntry,
    Passage,
    SearchHit,
    SearchResult,
)
from memory_core.model.search.saved_search import SavedSearch, SearchSettings
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles

QUESTION = "why was the bell retired in the Net Loft"


def hit(id):
    return SearchHit(
        kind="observation", id=id, project_id="p", score=1.0, passages=[Passage(text=id)]
    )


def answered(*ids):
    return SearchResult(query="q", hits=[hit(id) for id in ids], channels=["lexical"])


def captions(app):
    return [caption.value for caption in app.caption]


def test_each_hit_tells_what_became_of_its_rank():
    before, after = answered("a", "b", "c", "d"), answered("b", "a", "c", "e")

    assert ["\u25b2 1, was 2", "\u25bc 1, was 1", "=", "new"] == comparison.rank_changes(
        before.hits, after.hits
    )
    assert [4] == comparison.missing_ranks(before.hits, after.hits)
    assert "B moves 2 results, adds 1 and drops 1" == comparison.sentence(before, after)
    assert "A and B return the same results" == comparison.sentence(before, before)


def test_equal_results_with_several_parts_of_one_entry_are_the_same():
    found = answered("a", "a", "b")
    parts = [hit.model_copy(update={"row_id": f"row {at}"}) for at, hit in enumerate(found.hits)]
    same = found.model_copy(update={"hits": parts})
    other = found.model_copy(update={"hits": [parts[1], parts[0], parts[2]]})

    assert "A and B return the same results" == comparison.sentence(same, same)
    assert 3 == len(comparison.table(same, same))
    assert "B moves 2 results, adds 0 and drops 0" == comparison.sentence(same, other)


def test_two_settings_are_compared_side_by_side(visit, its_demonstration):
    app = visit("search", query=QUESTION, search_compare=True)
    same = titles(app)
    app.session_state["search_how_b"] = "by rank"
    app.session_state["search_vector_b"] = 0.0
    app.run()

    assert not app.exception
    assert ["A and B return the same results"] == same
    assert titles(app)[0].startswith("B moves ")
    assert {"A", "B"} <= set(app.dataframe[0].value.columns)


def test_a_question_is_saved_asked_again_and_deleted(visit, its_demonstration):
    app = visit("search", query=QUESTION, project="harbour")
    app.number_input[0].set_value(3).run()
    app.radio[0].set_value("by rank").run()
    next(t for t in app.text_input if t.label == "Save this search as").set_value(TRAP)
    pressed(app, "Save")
    saved = its_demonstration.saved_searches.list_searches("harbour")
    other = visit("search", project="harbour")
    pressed(other, "Run")
    limit, how = other.number_input[0].value, other.radio[0].value
    rows = len(other.dataframe[0].value)
    pressed(other, "Delete")
    asked_first = its_demonstration.saved_searches.list_searches("harbour")
    pressed(other, "Delete permanently")

    assert not app.exception and not other.exception
    assert [(TRAP, QUESTION, 3)] == [(s.name, s.query, s.settings.limit) for s in saved]
    assert (3, "by rank") == (limit, how)
    assert 3 >= rows > 0
    assert saved == asked_first
    assert [] == its_demonstration.saved_searches.list_searches("harbour")
    assert [] == [text for text in texts_read_as_markdown(other) if "alert(1)" in text]


def test_weaker_results_are_counted_and_unfolded(visit, its_demonstration):
    app = visit("search", query="seat hold", search_limit=100)
    hidden = any(said.startswith("weaker results hidden: ") for said in captions(app))
    before = len(app.dataframe[0].value)
    pressed(app, "Show them")

    assert not app.exception
    assert hidden
    assert any(said.startswith("weaker results shown") for said in captions(app))
    assert before < len(app.dataframe[0].value)


def test_a_saved_question_belongs_to_its_project(memory):
    first = SavedSearch(name="bells", project_id="a", query="bell?")
    memory.saved_searches.save_search(first)
    second = first.model_copy(update={"settings": SearchSettings(limit=5, kinds=("entity",))})
    memory.saved_searches.save_search(second)

    assert [second] == memory.saved_searches.list_searches("a")
    assert (
        [] == memory.saved_searches.list_searches("b") == memory.saved_searches.list_searches("*")
    )


def test_an_answer_without_all_vectors_is_asked_anew(visit, its_demonstration, monkeypatch):
    search, asked = its_demonstration.search.search_memory, []

    def waiting(query, **more):
        asked.append(query)
        return search(query, **more).model_copy(update={"pending": 2 - len(asked)})

    monkeypatch.setattr(its_demonstration.search, "search_memory", waiting)
    visit("search", query=QUESTION).run().run()

    assert [QUESTION, QUESTION] == asked


def test_what_others_asked_lately_is_offered_again(visit, its_demonstration):
    for query in (TRAP, QUESTION):
        with (
            acting_as("cursor"),
            its_demonstration.telemetry.trace("search_memory", project_id="harbour", query=query),
        ):
            pass
    here, there = (visit("search", project=name) for name in ("harbour", "vt-firmware"))
    asked = visit("search", project="harbour", query=QUESTION)

    assert not here.exception and not asked.exception
    assert "Recent queries" in captions(here)
    assert "Recent queries" not in captions(there)
    assert "Recent queries" in captions(asked)
    assert [] == [text for text in texts_read_as_markdown(here) if "alert(1)" in text]


def found(kind, **more):
    return hit("1").model_copy(update={"kind": kind, **more})


def test_every_hit_leads_to_where_it_is_shown_whole():
    entity = HitEntity(id="e", name="E", node_type="person")
    entry = HitEntry(id="n", summary="says", tags=[], category="other")
    document = HitDocument(id="d", title="D", position=0)

    assert [
        "entity\np\ne",
        "document\np\nd",
        "entry\np\nn",
        "fact\np\n1",
    ] == [
        target_of(found("observation", entity=entity)),
        target_of(found("document", document=document)),
        target_of(found("entry", entry=entry)),
        target_of(found("fact")),
    ]


@pytest.mark.parametrize(
    ("kind", "key"),
    [("document", "document"), ("entry", "entries_picked"), ("fact", "fact_picked")],
)
def test_what_was_ticked_before_does_not_close_what_a_hit_opens(monkeypatch, kind, key):
    state, gone = {"entries_selected": True, "facts_selected": True}, []
    monkeypatch.setattr(links.st, "session_state", state)

    def away(page):
        gone.append(page)
        raise StopIteration

    monkeypatch.setattr(links.st, "switch_page", away)
    with pytest.raises(StopIteration):
        open_target(f"{kind}\np\n1")

    page = "documents" if kind == "document" else "memories"
    picked = {"document": ("p", "1"), "entry": ["1"], "fact": "1"}[kind]
    assert ([f"views/{page}.py"], picked) == (gone, state[key])
    assert kind == "document" or not state[f"{'entries' if kind == 'entry' else 'facts'}_selected"]
