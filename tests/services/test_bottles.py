from __future__ import annotations

from datetime import timedelta

import pytest

from memory_core import NotFoundError, ValidationError, acting_as


def test_bottles_come_most_urgent_first_then_newest(memory, clock):
    for message, priority in (("a", "low"), ("b", "urgent"), ("c", "medium"), ("d", "urgent")):
        memory.bottles.create(message, priority=priority)
        clock.advance(minutes=1)
    first = memory.bottles.shown().bottles[0]
    memory.bottles.acknowledge(first.id)

    assert ["b", "c", "a"] == [bottle.message for bottle in memory.bottles.shown().bottles]
    assert ["d", "b", "c", "a"] == [
        bottle.message for bottle in memory.bottles.shown(include_acknowledged=True).bottles
    ]


def test_a_bottle_is_acknowledged_once_by_whom_and_when(memory, clock):
    with acting_as("cursor"):
        left = memory.bottles.create("look at the logs").bottle
    clock.advance(hours=1)
    with acting_as("claude"):
        memory.bottles.acknowledge(left.id)
    second = memory.bottles.acknowledge(left.id, acknowledged_by="dashboard")

    assert "cursor" == left.author
    assert second.already_acknowledged
    assert ("claude", clock()) == (second.bottle.acknowledged_by, second.bottle.acknowledged_at)


def test_an_expired_bottle_is_hidden_and_counted(memory, clock):
    memory.bottles.create("today only", expires_at=clock() + timedelta(hours=1))
    by_hand = memory.bottles.create("stop this").bottle
    clock.advance(hours=2)
    memory.bottles.expire(by_hand.id)

    shown = memory.bottles.shown()

    assert ([], 0, 2) == (shown.bottles, shown.total, shown.expired)
    with pytest.raises(ValidationError, match="is past"):
        memory.bottles.create("late", expires_at=clock() - timedelta(days=1))


def test_a_bottle_reaches_its_recipient_and_no_other(memory):
    memory.bottles.create("for ann", recipient="Ann")
    memory.bottles.create("for anyone")
    elsewhere = memory.bottles.create("elsewhere", project_id="other").bottle

    def messages(**options):
        return {bottle.message for bottle in memory.bottles.shown(**options).bottles}

    assert {"for ann", "for anyone"} == messages(recipient="Ann")
    assert {"for anyone"} == messages(recipient="Bob")
    with pytest.raises(NotFoundError):
        memory.bottles.acknowledge(elsewhere.id)


def test_a_blank_message_and_a_strange_priority_are_refused(memory):
    with pytest.raises(ValidationError, match="message must not be blank"):
        memory.bottles.create("  ")
    with pytest.raises(ValidationError, match="low, medium, high, urgent"):
        memory.bottles.create("x", priority="huge")


def test_bottles_come_in_pages_and_their_recipients_are_known(memory, clock):
    for message, recipient in (("a", "mara"), ("b", ""), ("c", "chidi"), ("d", "mara")):
        memory.bottles.create(message, recipient=recipient)
        clock.advance(minutes=1)

    page = memory.bottles.shown(limit=2, offset=2)

    assert (["b", "a"], 4) == ([bottle.message for bottle in page.bottles], page.total)
    assert ["chidi", "mara"] == memory.bottles.recipients()
