"""A cycle of the librarian, from the outside: what it makes, keeps, and leaves alone."""

from __future__ import annotations

import pytest
from librarian.towns import BAKING, SAILING, concepts, group, members, newest_change

from memory_core import ConflictError, acting_as
from memory_core.errors import CancelledError


def test_similar_entities_become_a_concept_with_a_readable_name(memory):
    sailing, baking = group(memory, SAILING), group(memory, BAKING)

    report = memory.librarian.run_cycle()

    found = concepts(memory)
    assert {"Rope, anchor and mast", "Dough, flour and oven"} == found.keys()
    assert set(sailing) == members(memory, found["Rope, anchor and mast"].id)
    assert set(baking) == members(memory, found["Dough, flour and oven"].id)
    made_by = {"source": "librarian", "cycle": report.cycle.id}
    assert [made_by, made_by] == [each.properties for each in found.values()]


def test_a_second_run_on_unchanged_knowledge_changes_nothing(memory):
    group(memory, SAILING)
    first = memory.librarian.run_cycle()
    before = newest_change(memory)

    second = memory.librarian.run_cycle()

    assert ("done", "unchanged") == (first.cycle.status, second.cycle.status)
    assert f"since cycle {first.cycle.id}" in second.notice
    assert before == newest_change(memory)


def test_looking_again_finds_nothing_new_either(memory):
    group(memory, SAILING)
    memory.librarian.run_cycle()
    memory.bottles.create_bottle("unrelated")
    before = newest_change(memory)

    report = memory.librarian.run_cycle()

    assert "done" == report.cycle.status
    assert before == newest_change(memory)


@pytest.mark.slow
def test_twenty_runs_leave_every_one_of_two_hundred_facts_findable(memory):
    memory.graph.create_entity("Shop", "project")
    words = [f"w{number}q" for number in range(200)]
    for word in words:
        memory.observations.add_observation("shop", f"The {word} part of the shop is number {word}")

    for _ in range(20):
        memory.librarian.run_cycle()
        memory.bottles.create_bottle("so that the next run looks again")

    for word in words:
        hits = memory.search.search_memory(word, limit=3).hits
        assert any(word in passage.text for hit in hits for passage in hit.passages), word


def test_a_concept_grows_with_its_group(memory):
    group(memory, SAILING)
    memory.librarian.run_cycle()
    (before,) = concepts(memory).values()
    more = group(memory, SAILING, 2, first=4)

    report = memory.librarian.run_cycle()

    (after,) = concepts(memory).values()
    assert before.id == after.id
    assert set(more) < members(memory, after.id)
    (change,) = report.concepts
    assert ("grown", 6, 2) == (change.change, change.members, change.joined)


def test_a_concept_shrinks_with_its_group(memory):
    sailing = group(memory, SAILING, 5)
    memory.librarian.run_cycle()
    (concept,) = concepts(memory).values()
    memory.lifecycle.archive_entities(sailing[0])

    memory.librarian.run_cycle()

    assert set(sailing[1:]) == members(memory, concept.id)


def test_a_group_that_splits_keeps_its_concept_and_gets_a_second(memory):
    large, small = group(memory, SAILING, 6), group(memory, SAILING, 3, first=6)
    memory.librarian.run_cycle()
    (before,) = concepts(memory).values()
    for number, id in enumerate(small):
        (fact,) = memory.exploration.hologram(id).nodes[0].observations
        memory.observations.update_observation(fact.id, "dough oven flour " * 6)
        memory.graph.update_entity(id, name=f"dough oven n{number}")

    memory.librarian.run_cycle()

    after = concepts(memory)
    assert 2 == len(after)
    assert {before.id: set(large)} == {
        each.id: members(memory, each.id) for each in after.values() if each.id == before.id
    }


def test_a_concept_whose_group_is_gone_is_archived_and_says_why(memory):
    sailing = group(memory, SAILING)
    memory.librarian.run_cycle()
    for id in sailing[:3]:
        memory.graph.delete_entity(id)

    report = memory.librarian.run_cycle()

    assert {} == concepts(memory)
    (gone,) = concepts(memory, status="archived").values()
    assert "The librarian found its group no more" == gone.archive_reason
    assert ["retired"] == [change.change for change in report.concepts]


def test_a_retired_concept_comes_back_with_its_group(memory):
    sailing = group(memory, SAILING, 3)
    memory.librarian.run_cycle()
    (before,) = concepts(memory).values()
    memory.lifecycle.archive_entities(sailing[0])
    memory.librarian.run_cycle()
    memory.lifecycle.restore_entity(sailing[0])

    report = memory.librarian.run_cycle()

    (after,) = concepts(memory).values()
    assert (before.id, ["restored"]) == (after.id, [each.change for each in report.concepts])
    assert set(sailing) == members(memory, after.id)


def test_a_concept_that_somebody_archived_stays_away(memory):
    group(memory, SAILING)
    memory.librarian.run_cycle()
    (concept,) = concepts(memory).values()
    memory.lifecycle.archive_entities(concept.id, "of no use")
    group(memory, SAILING, 2, first=4)

    memory.librarian.run_cycle()

    assert {} == concepts(memory)
    assert ["of no use"] == [
        each.archive_reason for each in concepts(memory, status="archived").values()
    ]


def test_a_name_that_somebody_gave_stays(memory):
    group(memory, SAILING)
    memory.librarian.run_cycle()
    (concept,) = concepts(memory).values()
    memory.graph.update_entity(concept.id, name="Seamanship")
    group(memory, SAILING, 2, first=4)

    memory.librarian.run_cycle()

    assert ["Seamanship"] == list(concepts(memory))


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(memory):
    group(memory, SAILING)
    before = newest_change(memory)

    report = memory.librarian.run_cycle(dry_run=True)

    assert before == newest_change(memory)
    assert [("made", 4, "")] == [(c.change, c.members, c.id) for c in report.concepts]
    assert report.relations
    assert {""} == {each.id for each in report.relations}
    (cycle,) = memory.librarian.list_cycles().cycles
    assert (True, None) == (cycle.dry_run, cycle.first_seq)


def test_a_cycle_is_undone_as_one(memory):
    group(memory, SAILING)
    report = memory.librarian.run_cycle()

    undone = memory.undo.undo(report.cycle.batch_id)

    assert [] == undone.left_alone
    assert {} == concepts(memory)
    assert 0 == memory.suggestions.list_suggestions().total


def test_projects_are_looked_at_one_by_one(memory):
    group(memory, SAILING, 2)
    group(memory, SAILING, 2, project_id="other", first=2)

    report = memory.librarian.run_cycle()

    assert (2, 0) == (report.cycle.counts["entities"], report.cycle.counts["clusters"])


def test_an_empty_project_has_a_short_cycle(memory):
    report = memory.librarian.run_cycle()

    assert ("done", 0) == (report.cycle.status, report.cycle.counts["clusters"])


def test_every_cycle_is_a_row_with_what_it_did(memory):
    group(memory, SAILING)
    before = newest_change(memory)
    with acting_as("cursor"):
        memory.librarian.run_cycle()

    (cycle,) = memory.librarian.list_cycles().cycles

    assert ("librarian", "cursor", "done") == (cycle.kind, cycle.actor, cycle.status)
    assert (before + 1, newest_change(memory)) == (cycle.first_seq, cycle.last_seq)
    assert (4, 1, 1) == tuple(
        cycle.counts[name] for name in ("entities", "clusters", "concepts_made")
    )
    assert cycle.milliseconds > 0


def test_whoever_waits_is_told_how_far_it_is(memory):
    group(memory, SAILING)
    reported = []

    memory.librarian.run_cycle(progress=lambda *step: reported.append(step))

    done = [step[0] for step in reported]
    assert sorted(done) == done
    assert reported[-1] == (700, 700, "done")
    assert "writing concepts" in {step[2] for step in reported}


@pytest.mark.parametrize("after", [3, 6, 9, 11])
def test_a_cancelled_cycle_leaves_whole_things_and_frees_the_way(memory, monkeypatch, after):
    monkeypatch.setattr("memory_core.librarian.concepts.CHUNK", 4)
    group(memory, SAILING)
    group(memory, BAKING)
    asked = iter(range(after))

    with pytest.raises(CancelledError):
        memory.librarian.run_cycle(cancelled=lambda: next(asked, None) is None)

    assert all(4 == len(members(memory, each.id)) for each in concepts(memory).values())
    assert "cancelled" == memory.librarian.list_cycles().cycles[0].status
    assert "done" == memory.librarian.run_cycle().cycle.status
    assert 2 == len(concepts(memory))


def test_two_librarians_never_work_at_once(memory):
    group(memory, SAILING)
    refused = []

    def second(done, total, message):
        if message == "grouping" and not refused:
            with pytest.raises(ConflictError) as caught:
                memory.librarian.run_cycle()
            refused.append(str(caught.value))

    with acting_as("first"):
        memory.librarian.run_cycle(progress=second)

    assert "already running for first (process" in refused[0]
    assert 1 == memory.librarian.list_cycles().total


def test_a_cycle_that_was_killed_is_let_go_and_told(memory, clock):
    group(memory, SAILING)
    killed = memory.job_runs.start_run("librarian", project_id="default")
    killed.__enter__()
    with pytest.raises(ConflictError):
        memory.librarian.run_cycle()
    clock.advance(seconds=121)

    memory.librarian.run_cycle()

    now, before = memory.librarian.list_cycles().cycles
    assert ("done", "interrupted") == (now.status, before.status)
    killed.gen.close()


def test_a_librarian_that_stood_still_too_long_gives_up(memory, clock):
    group(memory, SAILING)
    slept = []

    def sleep(done, total, message):
        if message == "grouping" and not slept:
            slept.append(True)
            clock.advance(seconds=121)
            memory.librarian.run_cycle()

    with pytest.raises(ConflictError, match="took over while this run was suspended"):
        memory.librarian.run_cycle(progress=sleep)

    assert 1 == len(concepts(memory))
