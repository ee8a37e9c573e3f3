from __future__ import annotations

from scripted import unreachable, use
from streamlit.testing.v1 import AppTest
from support import PATIENCE

from memory_core.model.facts.fact_review import FactScopeFilter
from memory_core.model.scope import ALL_USERS, Scope
from tests.dashboard.conftest import APP, PAGES
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles
from tests.dashboard.test_isolation import all_of

HARBOUR = "harbour"
ANN = Scope(project_id=HARBOUR, user_id="ann", agent_id="tutor", session_id="monday")
BEN = Scope(project_id=HARBOUR, user_id="ben")
TEA = "Ann drinks a cup of green tea with honey and lemon every morning before work"
NO_TEA = TEA.replace("drinks", "never drinks")


def labelled(widgets, label):
    return next(widget for widget in widgets if widget.label == label)


def opened(visit, part, **session):
    return visit("memories", project=HARBOUR, show=part, **session)


def remember(memory, *contents, scope=ANN):
    """Remember facts; return the id of the last one."""
    return memory.conversation.add_facts(contents, scope).facts[-1].id


def says(memory, **wanted):
    found = memory.fact_review.list_facts(FactScopeFilter(project_id=HARBOUR), **wanted).facts
    return sorted(fact.content for fact in found)


def listed(app):
    return sorted(app.dataframe[0].value["Text"]) if app.dataframe else []


def test_an_empty_memory_says_how_facts_come(visit, its_memory):
    teaching = {
        part: (titles(app := opened(visit, part)), " ".join(text.value for text in app.markdown))
        for part in ("facts", "jobs", "merged")
    }

    assert ["No fact is remembered yet"] == teaching["facts"][0]
    assert all(w in teaching["facts"][1] for w in ("remember", "memory_extract", "LLM_PROVIDER"))
    assert ["No conversation was handed in yet"] == teaching["jobs"][0]
    assert all(word in teaching["jobs"][1] for word in ("memory_extract", "LLM_PROVIDER"))
    assert ["No fact was merged with another"] == teaching["merged"][0]
    assert "DEDUP_STRATEGY" in teaching["merged"][1]


def test_the_address_names_the_part_that_is_shown(visit, its_memory):
    app = visit("memories")
    entries = titles(app)
    labelled(app.segmented_control, "Show").set_value("jobs").run()
    named = app.query_params["show"]
    linked = AppTest.from_file(APP, default_timeout=PATIENCE)
    linked.query_params["show"] = "facts"
    linked.switch_page(PAGES["memories"]).run()
    lost = AppTest.from_file(APP, default_timeout=PATIENCE)
    lost.query_params["show"] = "nonsense"
    lost.switch_page(PAGES["memories"]).run()

    assert not app.exception and not linked.exception and not lost.exception
    assert "jobs" == named
    assert ["No fact is remembered yet"] == titles(linked)
    assert entries == titles(lost)


def test_facts_are_listed_for_everybody_and_by_whose_they_are(visit, its_memory):
    remember(its_memory, "Ann sings")
    remember(its_memory, "Ben rows", scope=BEN)
    app = opened(visit, "facts")
    everybody = listed(app)
    labelled(app.selectbox, "Agent").set_value("tutor").run()
    of_the_tutor = listed(app)
    labelled(app.selectbox, "User").set_value("ben").run()

    assert not app.exception
    assert ["Ann sings", "Ben rows"] == everybody
    assert ["Ann sings"] == of_the_tutor
    assert ["Ben rows"] == listed(app)
    assert not [box for box in app.selectbox if box.label == "Agent"]
    assert ["1 fact is remembered"] == titles(app)


def test_facts_are_searched_within_a_scope(visit, its_memory):
    remember(its_memory, "Ann sings in the choir", "Ann rows a boat")
    remember(its_memory, "Ben sings", scope=BEN)
    its_memory.catch_up()
    app = opened(visit, "facts", facts_words="sings")
    by_words = listed(app)
    labelled(app.selectbox, "User").set_value("ann").run()

    assert not app.exception
    assert ["Ann sings in the choir", "Ben sings"] == by_words
    assert "Ann sings in the choir" == app.dataframe[0].value["Text"][0]
    assert "Score" in app.dataframe[0].value
    assert "Ben sings" not in listed(app)


def test_facts_come_page_by_page(visit, its_memory):
    remember(its_memory, *[f"Ann knows the harbour pilot number {n}" for n in range(60)])
    app = opened(visit, "facts")
    first = [caption.value for caption in app.caption]
    pressed(app, "Next")
    total = its_memory.fact_review.count_facts(FactScopeFilter(project_id=HARBOUR)).active

    assert not app.exception
    assert f"showing 1\u201350 of {total}" in first
    assert f"showing 51\u2013{total} of {total}" in [caption.value for caption in app.caption]


def test_a_fact_is_corrected_and_the_correction_taken_back(visit, its_memory):
    id = remember(its_memory, "Ann sings")
    app = opened(visit, "facts", fact_picked=id)
    labelled(app.text_area, "Text").set_value("Ann sings alto")
    pressed(app, "Save")
    saved = says(its_memory)
    event = its_memory.timelines.list_events(
        project_id=HARBOUR, user_id=ALL_USERS, order="DESC", limit=1
    ).events[0]
    pressed(app, "Undo")

    assert not app.exception
    assert ["Ann sings alto"] == saved
    assert "dashboard" == event.actor
    assert ["Ann sings"] == says(its_memory)


def test_a_stale_correction_is_not_saved_until_decided(visit, its_memory):
    id = remember(its_memory, "Ann sings")
    app = opened(visit, "facts", fact_picked=id)
    its_memory.conversation.update_fact(id, "Ann hums", ANN)
    labelled(app.text_area, "Text").set_value("Ann whistles")
    pressed(app, "Save")
    reported, between = [warning.value for warning in app.warning], says(its_memory)
    pressed(app, "Keep mine")

    assert not app.exception
    assert any("Nothing was saved" in each for each in reported)
    assert ["Ann hums"] == between
    assert ["Ann whistles"] == says(its_memory)


def test_a_stale_correction_can_be_dropped(visit, its_memory):
    id = remember(its_memory, "Ann sings")
    app = opened(visit, "facts", fact_picked=id)
    its_memory.conversation.update_fact(id, "Ann hums", ANN)
    labelled(app.text_area, "Text").set_value("Ann whistles")
    pressed(app, "Save")
    pressed(app, "Keep theirs")

    assert not app.exception
    assert "Ann hums" == labelled(app.text_area, "Text").value
    assert ["Ann hums"] == says(its_memory)


def test_a_fact_is_deleted_and_brought_back(visit, its_memory):
    id = remember(its_memory, "Ann sings")
    app = pressed(opened(visit, "facts", fact_picked=id), "Delete")
    gone = says(its_memory)
    pressed(app, "Undo")

    assert not app.exception
    assert [] == gone
    assert ["Ann sings"] == says(its_memory) == listed(app)


def test_all_facts_of_a_scope_go_behind_a_typed_name(visit, its_memory):
    remember(its_memory, "Ann sings", "Ann rows")
    remember(its_memory, "Ben rows", scope=BEN)
    app = opened(visit, "facts")
    offered = [button.label for button in app.button]
    labelled(app.selectbox, "User").set_value("ann").run()
    labelled(app.text_input, "Name of the scope").set_value("ben")
    pressed(app, "Erase all of them")
    refused, still = [error.value for error in app.error], says(its_memory)
    labelled(app.text_input, "Name of the scope").set_value("ann")
    pressed(app, "Erase all of them")
    left = says(its_memory)

    assert not app.exception
    assert "Erase all of them" not in offered
    assert ["Nothing was erased: what you typed is not that name."] == refused
    assert ["Ann rows", "Ann sings", "Ben rows"] == still
    assert ["Ben rows"] == left


def test_a_fact_is_added_by_hand(visit, its_memory):
    remember(its_memory, "Ann sings")
    app = opened(visit, "facts")
    for _ in range(2):
        labelled(app.text_area, "The fact").set_value("Cem bakes bread")
        labelled(app.text_input, "Of user").set_value("cem")
        pressed(app, "Add")

    assert not app.exception
    assert ["Ann sings", "Cem bakes bread"] == says(its_memory)
    assert "cem" in labelled(app.selectbox, "User").options
    assert "Known already" in all_of(app)


def test_a_waiting_conversation_is_read_and_its_facts_typed(visit, its_memory):
    id = its_memory.conversation.extract_facts("I sing.\nI row.", BEN).job_id
    app = opened(visit, "jobs", job_picked=id)
    retry, title = labelled(app.button, "Try again"), titles(app)
    reasons = " ".join(caption.value for caption in app.caption)
    pressed(app, "Store these facts")
    refused = [error.value for error in app.error]
    labelled(app.text_area, "Facts by hand, one a line").set_value("Ben sings\n\nBen rows\n")
    pressed(app, "Store these facts")
    stored, job = says(its_memory), its_memory.fact_review.get_job(id)
    pressed(app, "Undo")

    assert not app.exception
    assert ["1 conversation waits for its facts"] == title
    assert retry.disabled and "LLM_PROVIDER" in reasons
    assert 1 == len(refused)
    assert (["Ben rows", "Ben sings"], "stored") == (stored, job.status)
    assert [] == says(its_memory)


def test_facts_that_do_not_stand_are_told_and_stay_typed(visit, its_memory):
    id = its_memory.conversation.extract_facts("I sing.", BEN).job_id
    app = opened(visit, "jobs", job_picked=id)
    labelled(app.text_area, "Facts by hand, one a line").set_value("x" * 2000)
    pressed(app, "Store these facts")

    assert not app.exception
    refused = "The facts were not saved. Your input is still here. Nothing was changed."
    assert [refused] == [error.value for error in app.error]
    assert "x" * 2000 == labelled(app.text_area, "Facts by hand, one a line").value
    assert "waiting_for_assistant" == its_memory.fact_review.get_job(id).status


def test_conversations_are_filtered_by_outcome(visit, its_memory):
    its_memory.conversation.extract_facts("I sing.", BEN)
    app = opened(visit, "jobs")
    everything = len(app.dataframe[0].value)
    labelled(app.selectbox, "Outcome").set_value("failed").run()

    assert not app.exception
    assert 1 == everything
    assert [] == list(app.dataframe)
    assert "failed" == labelled(app.selectbox, "Outcome").value


def test_what_gave_way_stands_beside_its_successor_and_comes_back(visit, its_memory):
    remember(its_memory, TEA)
    remember(its_memory, NO_TEA)
    app = opened(visit, "merged")
    title, shown = titles(app), all_of(app)
    pressed(app, "Undo")
    pressed(app, "Confirm undo")

    assert not app.exception
    assert ["1 fact was merged or replaced"] == title
    assert TEA in shown and NO_TEA in shown
    assert [TEA] == says(its_memory, status="all")
    assert ["No fact was merged with another"] == titles(app)


def test_no_markup_of_a_fact_is_read(visit, its_memory):
    scope = Scope(project_id=HARBOUR, user_id=TRAP[:80], agent_id=TRAP[:70], session_id=TRAP[:60])
    remember(its_memory, TRAP + TEA, scope=scope)
    id = remember(its_memory, TRAP + NO_TEA, scope=scope)
    use(its_memory, unreachable())
    job = its_memory.conversation.add_messages([{"content": TRAP, "name": TRAP[:50]}], scope).job_id
    read = []
    for part in ("facts", "jobs", "merged"):
        app = opened(visit, part, fact_picked=id, job_picked=job)
        assert not app.exception
        if part == "facts":
            labelled(app.selectbox, "User").set_value(TRAP[:80]).run()
        read += texts_read_as_markdown(app)
    app = pressed(opened(visit, "facts", fact_picked=id), "Delete")

    assert not app.exception
    assert [] == [t for t in read + texts_read_as_markdown(app) if "alert(1)" in t]


def test_no_part_shows_another_project(visit, its_memory):
    mill = Scope(project_id="mill", user_id="zqmill")
    id = remember(its_memory, "zqmill grinds", scope=mill)
    remember(its_memory, TEA.replace("Ann", "zqmill"), scope=mill)
    remember(its_memory, NO_TEA.replace("Ann", "zqmill"), scope=mill)
    job = its_memory.conversation.extract_facts("zqmill talks", mill).job_id
    remember(its_memory, "Ann sings")

    for part in ("facts", "jobs", "merged"):
        app = opened(visit, part, fact_picked=id, job_picked=job)
        assert not app.exception
        assert "zqmill" not in all_of(app), part
