from __future__ import annotations

from librarian.towns import newest_change


def suggestions(memory, kind, status="open"):
    return memory.suggestions.list_suggestions(kind=kind, status=status).suggestions


def contents(suggestion):
    return {suggestion.first.content, suggestion.second.content}


def test_duplicate_facts_are_suggested_and_never_deleted(memory):
    twice = ["The api of the shop retries three times", "the api of the shop retries 3 times"]
    memory.graph.create_entity("Api", "service", observations=twice)

    report = memory.librarian.run_cycle()

    (found,) = report.duplicates
    assert set(twice) == contents(found)
    assert 2 == len(memory.exploration.hologram("api").nodes[0].observations)


def test_people_with_different_roles_are_not_duplicates(memory):
    posts = ["Alice is now the CEO of Acme", "Sarah is now the CTO of Acme"]
    memory.graph.create_entity("Acme", "organization", observations=posts)
    memory.graph.create_entity("Alice", "person", observations=["is at Acme since May"])
    memory.graph.create_entity("Sarah", "person", observations=["is at Acme since May"])

    report = memory.librarian.run_cycle()

    assert ([], []) == (report.duplicates, report.contradictions)


def test_negations_are_reported_as_contradictions(memory):
    memory.graph.create_entity("Api", "service")
    for fact in ("Deploys on friday are allowed here", "Deploys on friday are not allowed here"):
        memory.observations.add_observation("api", fact)

    report = memory.librarian.run_cycle()

    assert [] == report.duplicates
    (found,) = report.contradictions
    assert ("negation", "Deploys on friday are allowed here") == (
        found.reason,
        found.first.content,
    )


def test_spelling_variants_are_suggested_for_merging(memory):
    fact = "serves all orders of the shop"
    memory.graph.create_entity("Shop Orders Ápi", "service", id="first", observations=[fact])
    memory.graph.create_entity("Shop Orders Api", "service", id="second", observations=[fact])
    memory.librarian.run_cycle()
    (found,) = suggestions(memory, "duplicate")

    accepted = memory.suggestions.accept_suggestion(found.id)

    assert "second was merged into first" == accepted.did
    names = [each.name for each in memory.graph.list_entities().entities]
    assert ["Shop Orders Ápi"] == names
    memory.undo.undo(accepted.batch_id)
    assert 2 == memory.graph.list_entities().total


def test_a_rejected_pair_is_not_suggested_again(memory):
    twice = ["The api of the shop retries three times", "the api of the shop retries 3 times"]
    memory.graph.create_entity("Api", "service", observations=twice)
    memory.librarian.run_cycle()
    (found,) = suggestions(memory, "duplicate")
    memory.suggestions.reject_suggestion(found.id)
    memory.observations.add_observation("api", "something else entirely")

    report = memory.librarian.run_cycle()

    assert ([], []) == (report.duplicates, suggestions(memory, "duplicate"))
    assert [found.id] == [each.id for each in suggestions(memory, "duplicate", "rejected")]


def test_accepting_a_duplicate_keeps_the_more_detailed_fact(memory):
    memory.graph.create_entity("Api", "service", observations=["api of shops retries three times"])
    memory.observations.add_observation("api", "the api of shops retries three times")
    memory.librarian.run_cycle()
    (found,) = suggestions(memory, "duplicate")

    memory.suggestions.accept_suggestion(found.id)

    (left,) = memory.exploration.hologram("api").nodes[0].observations
    assert "the api of shops retries three times" == left.content


def test_accepting_a_contradiction_keeps_the_newer_fact(memory):
    memory.graph.create_entity("Api", "service")
    for fact in ("The retry limit here is 5", "The retry limit here is 8"):
        memory.observations.add_observation("api", fact)
    memory.librarian.run_cycle()
    (found,) = suggestions(memory, "contradiction")

    memory.suggestions.accept_suggestion(found.id)

    (left,) = memory.exploration.hologram("api").nodes[0].observations
    assert "The retry limit here is 8" == left.content


def test_suggestions_that_no_longer_apply_are_withdrawn(memory):
    memory.graph.create_entity("Api", "service")
    for fact in ("The retry limit here is 5", "The retry limit here is 8"):
        memory.observations.add_observation("api", fact)
    memory.librarian.run_cycle()
    (found,) = suggestions(memory, "contradiction")
    memory.observations.delete_observation(found.first.observation_id)

    memory.librarian.run_cycle()

    assert [] == suggestions(memory, "contradiction")
    (gone,) = suggestions(memory, "contradiction", "gone")
    assert found.id == gone.id


def test_comparisons_are_limited_to_near_pairs(memory):
    memory.graph.create_entity("Log", "dataset")
    for number in range(300):
        memory.observations.add_observation("log", f"entry number {number} of the long log")

    report = memory.librarian.run_cycle()

    assert report.cycle.counts["contradictions"] <= 300 * 6
    before = newest_change(memory)
    memory.librarian.run_cycle()
    assert before == newest_change(memory)
