"""Limits of the names and properties of an entity."""

from __future__ import annotations

import pytest

from memory_core.errors import ValidationError
from memory_core.rules import limits

MOST = [f"alias {number}" for number in range(limits.MAX_ALIASES)]


def test_an_entity_may_have_as_many_aliases_as_the_limit_and_not_one_more(memory):
    memory.graph.create_entity("Alpha", "Project", aliases=MOST)

    with pytest.raises(ValidationError, match="maximum is 200"):
        memory.graph.create_entity("Beta", "Project", aliases=[*MOST, "one more"])
    with pytest.raises(ValidationError, match="201 aliases"):
        memory.graph.update_entity("alpha", aliases=["one more"])
    with pytest.raises(ValidationError, match="201 aliases"):
        memory.graph.create_entity("Alpha", "Project", aliases=["one more"])
    assert MOST == memory.graph.get_entity("alpha").entity.aliases


def test_an_entity_with_more_aliases_from_an_older_version_can_be_edited(memory):
    memory.graph.create_entity("Alpha", "Project", aliases=MOST)
    memory.graph.create_entity("Beta", "Project", aliases=[f"beta {n}" for n in range(100)])
    memory.graph.merge_entities("alpha", ["beta"])
    memory.graph.update_entity("alpha", properties={"port": 1}, remove_aliases=["alias 0"])

    assert 300 == len(memory.graph.get_entity("alpha").entity.aliases)


def test_properties_that_are_added_stay_within_the_limit_together(memory):
    half = "x" * (limits.MAX_PROPERTIES // 2)
    memory.graph.create_entity("Alpha", "Project", properties={"one": half})

    with pytest.raises(ValidationError, match="maximum is 100,000"):
        memory.graph.update_entity("alpha", properties={"two": half})
    with pytest.raises(ValidationError, match="maximum is 100,000"):
        memory.graph.create_entity("Alpha", "Project", properties={"two": half})
    assert ["one"] == list(memory.graph.get_entity("alpha").entity.properties)
