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


def test_a_second_run_on_unchanged_data_changes_nothing(memory):
    group(memory, SAILING)
    first = memory.librarian.run_cycle()
    before = newest_change(memory)

    second = memory.librarian.run_cycle()

    assert ("done", "unchanged") == (first.cycle.status, second.cycle.status)
    assert f"since cycle {first.cycle.id}" in second.notice
    assert before == newest_change(memory)


def test_a_repeated_search_finds_nothing_new(memory):
    group(memory, SAILING)
    memory.librarian.run_cycle()
    memory.bottles.create_bottle("unrelated")
    before = newest_change(memory)

    report = memory.librarian.run_cycle()

    assert "done" == report.cycle.status
    assert before == newest_change(memory)


@pytest.mark.slow
def test_facts_remain_searchable_after_many_runs(memory):
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


def test_a_concept_gains_new_cluster_members(memory):
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


def test_a_concept_loses_former_cluster_members(memory):
    sailing = group(memory, SAILING, 5)
    memory.librarian.run_cycle()
    (concept,) = concepts(memory).values()
    memory.lifecycle.archive_entities(sailing[0])

    memory.librarian.run_cycle()

    assert set(sailing[1:]) == members(memory, concept.id)


def test_a_split_cluster_keeps_its_concept_and_gets_another(memory):
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


def test_a_concept_without_cluster_is_archived_with_reason(memory):
    sailing = group(memory, SAILING)
    memory.librarian.run_cycle()
    for id in sailing[:3]:
        memory.graph.delete_entity(id)

    report = memory.librarian.run_cycle()

    assert {} == concepts(memory)
    (gone,) = concepts(memory, status="archived").values()
    assert "The librarian found its group no more" == gone.archive_reason
    assert ["retired"] == [change.change for change in report.concepts]


def test_an_archived_concept_returns_with_its_cluster(memory):
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


def test_a_concept_archived_by_a_user_is_not_recreated(memory):
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


def test_a_name_given_by_a_user_is_kept(memory):
    group(memory, SAILING)
    memory.librarian.run_cycle()
    (concept,) = concepts(memory).values()
    memory.graph.update_entity(concept.id, name="Seamanship")
    group(memory, SAILING, 2, first=4)

    memory.librarian.run_cycle()

    assert ["Seamanship"] == list(concepts(memory))


def test_a_dry_run_reports_changes_and_writes_nothing(memory):
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


def test_projects_are_processed_separately(memory):
    group(memory, SAILING, 2)
    group(memory, SAILING, 2, project_id="other", first=2)

    report = memory.librarian.run_cycle()

    assert (2, 0) == (report.cycle.counts["entities"], report.cycle.counts["clusters"])


def test_an_empty_project_has_a_short_cycle(memory):
    report = memory.librarian.run_cycle()

    assert ("done", 0) == (report.cycle.status, report.cycle.counts["clusters"])


def test_every_cycle_is_recorded_with_its_counts(memory):
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


def test_cycle_progress_is_reported(memory):
    group(memory, SAILING)
    reported = []

    memory.librarian.run_cycle(progress=lambda *step: reported.append(step))

    done = [step[0] for step in reported]
    assert sorted(done) == done
    assert reported[-1] == (700, 700, "done")
    assert "writing concepts" in {step[2] for step in reported}


@pytest.mark.parametrize("after", [3, 6, 9, 11])
def test_a_cancelled_cycle_leaves_complete_records_and_releases_the_lease(
    memory, monkeypatch, after
):
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


def test_only_one_librarian_runs_at_a_time(memory):
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


def test_a_killed_cycle_is_marked_interrupted(memory, clock):
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


def test_a_librarian_with_an_expired_lease_stops(memory, clock):
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
