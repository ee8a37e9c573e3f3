"""The page of entries."""

from __future__ import annotations

from datetime import timedelta

from memory_core.model.scope import Scope
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles

HARBOUR = "harbour"
TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]


def labelled(widgets, label):
    return next(widget for widget in widgets if widget.label == label)


def entries(memory, **more):
    return memory.entries.list_entries(scope=Scope(project_id=HARBOUR), **more).entries


def write(memory, summary="Ann drinks green tea", tags=TAGS, **scope):
    scope = Scope(**{"project_id": HARBOUR, **scope})
    return memory.entries.write_entry(summary, tags, category="other", scope=scope)


def opened(visit, *ids):
    return visit("memories", project=HARBOUR, entries_picked=list(ids))


def test_an_empty_memory_says_what_an_entry_is(visit, its_memory):
    app = visit("memories")

    assert not app.exception
    assert ["No entry can be found yet"] == titles(app)
    assert any("memory_write" in text.value for text in app.markdown)


def test_entries_are_listed_and_filtered(visit, its_demonstration):
    app = visit("memories")
    everything = len(app.dataframe[0].value)
    labelled(app.text_input, "Tag").set_value("deploy").run()
    tagged = list(app.dataframe[0].value["Text"])
    labelled(app.selectbox, "Category").set_value("other").run()

    assert not app.exception
    assert 12 == everything
    assert 0 < len(tagged) < 12
    assert [] == list(app.dataframe)
    assert any("fits these filters" in text.value for text in app.markdown)
    assert "deploy" == labelled(app.text_input, "Tag").value


def test_an_entry_is_edited_and_the_edit_taken_back(visit, its_demonstration):
    entry = entries(its_demonstration)[0]
    app = opened(visit, entry.id)
    labelled(app.text_area, "Text").set_value("Said again.")
    labelled(app.text_input, "Tag 5").set_value("new tag")
    pressed(app, "Save")
    saved = its_demonstration.entries.entries_by_ids([entry.id])[entry.id]
    event = its_demonstration.timelines.list_events(
        project_id=HARBOUR, order="DESC", limit=1
    ).events[0]
    pressed(app, "Undo")

    assert not app.exception
    assert ("Said again.", [*entry.tags[:4], "new tag"]) == (saved.summary, saved.tags)
    assert "dashboard" == event.actor
    assert entry.summary == its_demonstration.entries.entries_by_ids([entry.id])[entry.id].summary


def test_a_stale_edit_is_not_saved(visit, its_demonstration):
    entry = entries(its_demonstration)[0]
    app = opened(visit, entry.id)
    scope = Scope(project_id=HARBOUR)
    its_demonstration.entries.update_entry(entry.id, summary="Written meanwhile.", scope=scope)
    labelled(app.text_area, "Text").set_value("Too late.")
    pressed(app, "Save")
    reported = [warning.value for warning in app.warning]
    pressed(app, "Keep theirs")

    assert not app.exception
    assert any("Nothing was saved" in each for each in reported)
    assert (
        "Written meanwhile."
        == its_demonstration.entries.entries_by_ids([entry.id])[entry.id].summary
    )
    assert "Written meanwhile." == labelled(app.text_area, "Text").value


def test_a_stale_edit_can_be_kept(visit, its_demonstration):
    entry = entries(its_demonstration)[0]
    app = opened(visit, entry.id)
    scope = Scope(project_id=HARBOUR)
    its_demonstration.entries.update_entry(entry.id, summary="Written meanwhile.", scope=scope)
    labelled(app.text_area, "Text").set_value("Mine after all.")
    pressed(app, "Save")
    pressed(app, "Keep mine")

    assert not app.exception
    assert (
        "Mine after all." == its_demonstration.entries.entries_by_ids([entry.id])[entry.id].summary
    )


def test_an_entry_is_written_by_hand(visit, its_memory):
    app = visit("memories")
    labelled(app.text_area, "Text").set_value("The pier opens at six.")
    for place, tag in enumerate(("pier", "opening", "hours", "morning"), start=1):
        labelled(app.text_input, f"Tag {place}").set_value(tag)
    labelled(app.text_area, "Longer text").set_value("In winter at seven.")
    pressed(app, "Save")
    refused = [error.value for error in app.error]
    labelled(app.text_input, "Tag 5").set_value("winter")
    pressed(app, "Save")
    (entry,) = its_memory.entries.list_entries().entries

    assert not app.exception
    assert ["The entry was not saved. Your input is still here. Nothing was changed."] == refused
    assert ("The pier opens at six.", 1) == (entry.summary, entry.total_chunks)
    assert ["1 entry can be found"] == titles(app)
    assert [""] == [t.value for t in app.text_area if t.label == "Text"]


def test_an_entry_that_expires_vanishes_without_a_change(visit, its_memory, monkeypatch):
    scope = Scope(project_id="default")
    tags = ["a", "b", "c", "d", "e"]
    its_memory.entries.write_entry(
        "Gone by then.", tags, category="other", is_time_sensitive=True, ttl_days=1, scope=scope
    )
    app = visit("memories")
    before = titles(app)
    later = its_memory.db.clock() + timedelta(days=2)
    monkeypatch.setattr(its_memory.db, "clock", lambda: later)
    app.run()

    assert not app.exception
    assert ["1 entry can be found"] == before
    assert ["No entry can be found yet"] == titles(app)


def test_an_edit_that_breaks_a_rule_says_which(visit, its_demonstration):
    entry = entries(its_demonstration)[0]
    app = opened(visit, entry.id)
    labelled(app.text_input, "Tag 5").set_value(entry.tags[0])
    pressed(app, "Save")

    assert not app.exception
    assert any("occurs twice" in code.value for code in app.code)
    assert entry.tags[0] == labelled(app.text_input, "Tag 5").value


def test_several_entries_are_retagged_as_one_act(visit, its_memory):
    one, two = write(its_memory), write(its_memory, "Ben drinks tea too")
    left = write(its_memory, "Cem has both", ["tea", "leaves", "a", "b", "c"])
    app = opened(visit, one.id, two.id, left.id)
    labelled(app.selectbox, "Tag").set_value("tea")
    labelled(app.text_input, "New tag").set_value("leaves")
    pressed(app, "Retag")
    tags = {
        id: entry.tags[0]
        for id, entry in its_memory.entries.entries_by_ids([one.id, two.id]).items()
    }
    failures = [code.value for code in app.code]
    pressed(app, "Undo")

    assert not app.exception
    assert {one.id: "leaves", two.id: "leaves"} == tags
    assert 1 == len(failures)
    assert "Cem has both" in failures[0]
    assert ["tea"] * 2 == [
        e.tags[0] for e in its_memory.entries.entries_by_ids([one.id, two.id]).values()
    ]


def test_several_entries_are_deleted_and_brought_back(visit, its_demonstration):
    picked = entries(its_demonstration)
    app = opened(visit, *[entry.id for entry in picked])
    pressed(app, "Delete entries")
    gone = len(entries(its_demonstration))
    pressed(app, "Undo")

    assert not app.exception
    assert 0 == gone
    assert [e.total_chunks for e in picked] == [e.total_chunks for e in entries(its_demonstration)]


def test_a_category_is_changed_for_many(visit, its_demonstration):
    picked = entries(its_demonstration)
    app = opened(visit, *[entry.id for entry in picked])
    labelled(app.selectbox, "New category").set_value("knowledge")
    pressed(app, "Change category")

    assert not app.exception
    assert {"knowledge"} == {entry.category for entry in entries(its_demonstration)}


def test_the_longer_text_of_an_entry_is_shown(visit, its_demonstration):
    entry = next(each for each in entries(its_demonstration) if each.total_chunks)
    app = opened(visit, entry.id)

    assert not app.exception
    assert any(
        c.value == f"showing 1\u2013{entry.total_chunks} of {entry.total_chunks}"
        for c in app.caption
    )


def test_duplicates_are_found_kept_apart_or_merged(visit, its_memory):
    write(its_memory)
    second = write(its_memory)
    app = pressed(visit("memories"), "Find duplicates")
    marked = titles(app)
    pressed(app, "Keep both")
    apart = titles(app)
    pressed(app, "Find duplicates")
    again = titles(app)
    its_memory.undo.undo(
        its_memory.timelines.list_events(project_id=HARBOUR, order="DESC", limit=1)
        .events[0]
        .batch_id,
        project_id=HARBOUR,
    )
    app.run()
    pressed(app, "Merge")

    assert not app.exception
    assert ["1 entry can be found, 1 duplicate is marked"] == marked
    assert ["2 entries can be found"] == apart == again
    assert {} == its_memory.entries.entries_by_ids([second.id])


def test_an_entry_of_a_user_is_shown_for_that_user(visit, its_memory):
    write(its_memory)
    write(its_memory, "Ben drinks coffee", user_id="ben")
    app = visit("memories")
    without = list(app.dataframe[0].value["Text"])
    labelled(app.selectbox, "User").set_value("ben").run()

    assert not app.exception
    assert ["Ann drinks green tea"] == without
    assert "Ben drinks coffee" in list(app.dataframe[0].value["Text"])


def test_no_markup_of_an_entry_is_read(visit, its_memory):
    tags = [f"{TRAP[:60]}{n}" for n in range(5)]
    one, two = write(its_memory, TRAP, tags), write(its_memory, TRAP, tags)
    its_memory.entries.write_context(one.id, TRAP, scope=Scope(project_id=HARBOUR))
    its_memory.entry_upkeep.mark_duplicates()
    read = texts_read_as_markdown(opened(visit, one.id))
    read += texts_read_as_markdown(opened(visit, one.id, two.id))
    app = pressed(opened(visit, one.id), "Delete")

    assert not app.exception
    assert [] == [t for t in read + texts_read_as_markdown(app) if "alert(1)" in t]
