from __future__ import annotations

import itertools

import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.errors import NotFoundError, ValidationError
from memory_core.model.scope import Scope
from memory_core.services.entries import group_map
from memory_core.services.entries.groups import Groups
from memory_core.storage.entries import merged_vectors

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]
BUILD = ["build", "server", "ci", "monday", "restart"]


def write(memory, summary, tags=TAGS, **scope):
    given = {"category": "other", "scope": Scope(**scope)}
    return memory.entries.write_entry(summary, tags, **given).id


def members(memory, **scope):
    """Return the members of every group, as the scope may see them."""
    scope = Scope(**scope)
    return [
        {entry.id for entry in memory.groups.list_members(group.id, scope=scope, limit=500).members}
        for group in memory.groups.list_groups(scope=scope).groups
    ]


@pytest.mark.parametrize("count", [40, 200])
def test_similar_entries_form_one_group(memory, count):
    ids = {write(memory, f"Ann drinks green tea in room {n % (count // 2)}") for n in range(count)}

    built = memory.groups.rebuild_groups()

    assert [ids] == members(memory)
    assert built.cliques <= count
    assert "" == built.partial


def test_identical_entries_share_an_edge_at_any_threshold(memory):
    same = {write(memory, "Ann drinks green tea") for _ in range(4)}
    write(memory, "Ann drinks black tea")

    memory.groups.rebuild_groups(1.0)

    assert [same] == members(memory)


def test_groups_are_labelled_by_distinctive_tags(memory):
    tea = {write(memory, f"tea {n}", ["all", *TAGS[:4]]) for n in range(5)}
    ci = {write(memory, f"server {n}", ["all", *BUILD[:4]]) for n in range(4)}

    memory.groups.rebuild_groups()

    assert [tea, ci] == members(memory)
    labels = [group.label for group in memory.groups.list_groups().groups]
    assert ["drinks, habit, morning", "build, ci, monday"] == labels


def test_group_ids_survive_a_rebuild_and_a_restart(tmp_path):
    count = itertools.count()

    def opened():
        return open_memory(
            path=tmp_path / "memory.db",
            embedder=HashingEmbedder(),
            clock=HandClock(),
            ids=lambda: f"id{next(count):05}",
        )

    memory = opened()
    tea = [write(memory, f"tea {n}") for n in range(5)]
    memory.groups.rebuild_groups()
    (before,) = memory.groups.list_groups().groups
    memory.close()

    memory = opened()
    for n in range(4):
        write(memory, f"server {n}", BUILD)
    memory.entries.delete_entry(tea[0])
    rebuilt = memory.groups.rebuild_groups()
    ids = [group.id for group in memory.groups.list_groups().groups]
    memory.close()

    assert (2, 1) == (rebuilt.groups, rebuilt.kept)
    assert before.id in ids
    assert before.id != next(id for id in ids if id != before.id)


def test_groups_are_separate_per_user(memory):
    members_before = {write(memory, f"tea {n}") for n in range(4)}
    ann = {write(memory, f"tea {n}", user_id="ann") for n in range(4)}
    memory.groups.rebuild_groups()
    memory.groups.rebuild_groups(scope=Scope(user_id="ann"))

    assert [members_before] == members(memory)
    assert [ann] == members(memory, user_id="ann")
    (group,) = memory.groups.list_groups(scope=Scope(user_id="ann")).groups
    with pytest.raises(NotFoundError, match="no group"):
        memory.groups.list_members(group.id)


def test_only_changed_scopes_are_regrouped(memory):
    for n in range(4):
        write(memory, f"tea {n}")
        write(memory, f"tea {n}", project_id="other")

    first = memory.groups.rebuild_stale_groups()
    nothing = memory.groups.rebuild_stale_groups()
    write(memory, "tea 4", project_id="other")
    again = memory.groups.rebuild_stale_groups()

    assert ["default", "other"] == [built.project_id for built in first]
    assert [] == nothing
    assert [("other", 5)] == [(built.project_id, built.entries) for built in again]


def test_group_results_report_truncation(memory):
    for tags in (TAGS, BUILD):
        for n in range(4):
            write(memory, f"{tags[0]} {n}", tags)
    groups = Groups(
        memory.db,
        lambda: "g",
        memory.entry_settings,
        embedder=memory.embedder,
        follower=memory.follower,
        most_cliques=7,
    )

    groups.rebuild_groups()

    shown = memory.groups.list_groups()
    assert 1 == shown.total
    assert "the limit of 7 cliques was reached" in shown.partial


def test_expired_and_deleted_entries_leave_their_groups_at_once(memory, clock):
    gone, *stay = (write(memory, f"tea {n}") for n in range(5))
    memory.entries.update_entry(stay[0], ttl_days=1)
    memory.groups.rebuild_groups()

    memory.entries.delete_entry(gone)
    clock.advance(days=1)

    assert [set(stay[1:])] == members(memory)
    assert 3 == memory.groups.list_groups().groups[0].size


def test_the_threshold_can_be_a_percentile(tmp_path):
    from memory_core import Settings

    memory = open_memory(
        Settings(group_percentile=60.0), path=tmp_path / "m.db", embedder=HashingEmbedder()
    )
    for n in range(6):
        write(memory, f"tea {n}")
        write(memory, f"server {n}", BUILD)

    built = memory.groups.rebuild_groups()
    memory.close()

    assert 0.5 < built.threshold < 1
    assert 2 == built.groups


def test_invalid_thresholds_are_rejected(memory):
    with pytest.raises(ValidationError, match="threshold must lie between 0 and 1"):
        memory.groups.rebuild_groups(1.5)


def test_group_map_contains_positions_cohesion_and_overlaps(memory):
    tea = {write(memory, f"Ann drinks green tea {n}") for n in range(5)}
    other = {write(memory, f"The build server restarts {n}", BUILD) for n in range(5)}
    alone = write(memory, "Zebra", ["a1", "b2", "c3", "d4", "e5"])
    built = memory.groups.rebuild_groups(0.6)

    drawn = memory.groups.group_map()

    assert {frozenset(tea), frozenset(other)} == {
        frozenset(p.id for p in drawn.points if group.id in p.group_ids) for group in drawn.groups
    }
    assert (11, 1, 0.6, built.k) == (drawn.entries, drawn.ungrouped, drawn.threshold, drawn.k)
    assert all(0.6 < group.cohesion <= 1 and not group.overlaps for group in drawn.groups)
    assert [[]] == [point.group_ids for point in drawn.points if point.id == alone]
    assert not drawn.stale


def test_overlapping_groups_count_shared_entries(memory):
    ids = [write(memory, f"Ann drinks green tea {n}") for n in range(5)]
    memory.catch_up()
    with memory.db.read() as connection:
        there = merged_vectors.of_scope(connection, project_id="default", user_id="", now="2000")
        groups = {"small": ids[3:], "large": [*ids[:4], "gone"], "past": ["gone"]}
        drawn = group_map.build_map(connection, there, groups, labels={"large": "tea"})

    assert [("large", "tea", 4, {"small": 1}), ("small", "", 2, {"large": 1})] == [
        (group.id, group.label, group.size, group.overlaps) for group in drawn.groups
    ]
    assert ["large", "small"] == next(p.group_ids for p in drawn.points if p.id == ids[3])


def test_previews_are_not_stored(memory):
    for n in range(5):
        write(memory, f"Ann drinks green tea {n}")
    memory.groups.rebuild_groups(0.6)
    before = members(memory)

    strict, k_too_large = memory.groups.preview_groups(1.0, 4), memory.groups.preview_groups(0.6, 6)

    assert ([], []) == (strict.groups, k_too_large.groups)
    assert (1.0, 4) == (strict.threshold, strict.k)
    assert before == members(memory)
    with pytest.raises(ValidationError, match="group_k"):
        memory.groups.preview_groups(0.5, 1)


def test_build_time_is_recorded_per_project(memory, clock):
    before = memory.groups.built_at()
    write(memory, "Ann drinks green tea")
    memory.groups.rebuild_groups()

    assert before is None
    assert clock() == memory.groups.built_at() == memory.groups.group_map().built_at
    assert memory.groups.built_at(scope=Scope(project_id="mill")) is None


def test_maps_are_empty_without_entries_and_sampled_for_many(memory, monkeypatch):
    nothing = memory.groups.group_map()
    monkeypatch.setattr("memory_core.services.entries.group_map.MOST_POINTS", 4)
    for n in range(9):
        write(memory, f"Ann drinks green tea {n}")
    memory.groups.rebuild_groups(0.5)
    drawn = memory.groups.group_map()

    assert ([], [], 0, None) == (nothing.points, nothing.groups, nothing.k, nothing.built_at)
    assert 3 == len(drawn.points)
    assert [9] == [group.size for group in drawn.groups]
