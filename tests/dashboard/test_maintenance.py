"""The page that tells whether the memory is sound, and keeps it so."""

from __future__ import annotations

import pytest
from support import PATIENCE

from dashboard.work import jobs
from memory_core import acting_as
from tests.dashboard.reading import TRAP, pressed, texts_read_as_markdown, titles


def test_an_empty_memory_is_sound(visit, its_memory):
    app = visit("maintenance")

    assert not app.exception
    assert ["Nothing is wrong at a quick look"] == titles(app)
    assert {"No backups yet.", "There is nothing to erase."} == {info.value for info in app.info}


def test_everything_can_be_checked(visit, its_demonstration):
    app = pressed(visit("maintenance"), "Check everything")

    assert not app.exception
    assert app.session_state["checkup"].report.thorough
    assert ["The memory is sound"] == titles(app)


def test_a_fault_is_mended_with_proof(visit, its_demonstration):
    with its_demonstration.db.note() as connection:
        connection.execute("delete from pieces where id = (select min(id) from pieces)")
    app = pressed(visit("maintenance"), "Check everything")
    before = titles(app)
    pressed(app, "Repair")

    assert ["The memory is sound"] == titles(app) != before
    assert app.session_state["checkup"].repaired
    assert "Repair" not in [button.label for button in app.button]


def test_vectors_are_made_anew_in_a_thread(visit, its_demonstration):
    with its_demonstration.db.note() as connection:
        connection.execute("delete from embeddings")
    app = pressed(visit("maintenance"), "Rebuild vectors")
    assert jobs.find_job("reindex").wait(PATIENCE)
    app.run()

    assert not app.exception
    assert 0 == its_demonstration.follower.pending()
    assert any(success.value.startswith("Done: ") for success in app.success)


def test_a_cancelled_reindex_says_what_becomes_of_the_rest(visit, its_demonstration):
    job = jobs.start_job("reindex", endless(its_demonstration))
    app = pressed(visit("maintenance"), "Cancel")
    assert job.wait(PATIENCE)
    app.run()

    assert not app.exception
    assert "stopped" == job.state
    assert any("Cancelled." in warning.value for warning in app.warning)


def test_work_that_fails_says_what_was_not_changed(visit, its_demonstration):
    job = jobs.start_job("reindex", lambda: its_demonstration.graph.create_entity("", "person"))
    assert job.wait(PATIENCE)
    app = visit("maintenance")

    assert not app.exception
    assert any("were not made" in error.value for error in app.error)
    assert "name" in " ".join(code.value for code in app.code)


def test_tidying_up_shows_before_and_after(visit, its_demonstration):
    app = pressed(visit("maintenance"), "Optimise")

    assert not app.exception
    assert ["Part", "Before", "After"] == list(app.dataframe[0].value.columns)


def test_a_copy_is_made_proven_and_put_back(visit, its_demonstration):
    app = pressed(visit("maintenance"), "Back up now")
    name = its_demonstration.upkeep.list_backups()[0].name
    its_demonstration.graph.create_entity("Later", "person", project_id="harbour", id="later")
    app.text_input(key="restore_name").set_value(name)
    pressed(app, "Restore this backup")

    assert not app.exception
    assert [] == [
        node.id
        for node in its_demonstration.atlas.most_salient(project_id="harbour", limit=500).nodes
        if node.id == "later"
    ]
    assert 2 == len(its_demonstration.upkeep.list_backups())


def test_a_restore_needs_the_name_of_the_copy(visit, its_demonstration):
    app = pressed(visit("maintenance"), "Back up now")
    app.text_input(key="restore_name").set_value("yes")
    pressed(app, "Restore this backup")

    assert any("Nothing was restored" in error.value for error in app.error)
    assert 1 == len(its_demonstration.upkeep.list_backups())


@pytest.mark.parametrize(("typed", "left"), [("harbour!", 91), ("", 91), ("harbour", 0)])
def test_clearing_needs_the_name_of_the_project(visit, its_demonstration, typed, left):
    app = visit("maintenance", project="harbour")
    app.text_input(key="clear_name").set_value(typed)
    pressed(app, "Erase for good")

    assert not app.exception
    assert left == its_demonstration.upkeep.rows_of("harbour")["entities"]
    assert 10 == its_demonstration.upkeep.rows_of("vt-firmware")["entities"]
    assert left == 0 or any("Nothing was erased" in error.value for error in app.error)


def test_all_projects_go_by_the_name_of_the_file(visit, its_demonstration):
    app = visit("maintenance")
    app.text_input(key="clear_name").set_value("memory.db")
    pressed(app, "Erase for good")

    assert not app.exception
    assert 0 == sum(its_demonstration.upkeep.rows_of("*").values())
    assert 1 == len(its_demonstration.upkeep.list_backups())


def test_no_markup_of_a_project_is_read(visit, its_memory):
    with acting_as("test"):
        its_memory.graph.create_entity(TRAP, "person", project_id=TRAP[:60], id="trap")
    app = visit("maintenance", project=TRAP[:60])

    assert not app.exception
    assert TRAP[:60] in [code.value for code in app.code]
    assert [] == [text for text in texts_read_as_markdown(app) if "alert(1)" in text]


def endless(memory):
    """A job that reports progress until it is cancelled."""
    from memory_core.context import report_progress

    def work():
        done = 0
        while True:
            done += 1
            report_progress(done, 1 << 30, "going on")
            memory.follower.pending()

    return work


def test_history_is_trimmed_after_a_preview_and_a_confirmation(visit, its_memory):
    its_memory.graph.create_entity("Alpha", "Project")
    for number in range(5):
        its_memory.graph.update_entity("alpha", properties={"number": number})
    app = visit("maintenance")
    app.number_input[1].set_value(2).run()
    previews = [text.value for text in app.markdown if "Trimming deletes 4 changes" in text.value]
    pressed(app, "Trim history")
    refused = [error.value for error in app.error]
    app.checkbox[1].check()
    pressed(app, "Trim history")

    assert not app.exception
    assert 1 == len(previews)
    assert ["Nothing was deleted. Tick the box to confirm."] == refused
    assert 2 == its_memory.history_trimming.history_size().changes
    assert 4 == its_memory.graph.get_entity("alpha").entity.properties["number"]
