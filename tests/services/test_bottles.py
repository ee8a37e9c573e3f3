from __future__ import annotations

from datetime import timedelta

import pytest

from memory_core import NotFoundError, ValidationError, acting_as


def test_bottles_are_ordered_by_urgency_then_age(memory, clock):
    for message, priority in (("a", "low"), ("b", "urgent"), ("c", "medium"), ("d", "urgent")):
        memory.bottles.create_bottle(message, priority=priority)
        clock.advance(minutes=1)
    first = memory.bottles.list_bottles().bottles[0]
    memory.bottles.acknowledge_bottles(first.id)

    assert ["b", "c", "a"] == [bottle.message for bottle in memory.bottles.list_bottles().bottles]
    assert ["d", "b", "c", "a"] == [
        bottle.message for bottle in memory.bottles.list_bottles(include_acknowledged=True).bottles
    ]


def test_acknowledgement_records_first_reader_and_time(memory, clock):
    with acting_as("cursor"):
        left = memory.bottles.create_bottle("look at the logs").bottle
    clock.advance(hours=1)
    with acting_as("claude"):
        memory.bottles.acknowledge_bottles(left.id)
    second = memory.bottles.acknowledge_bottles(left.id, acknowledged_by="dashboard")

    assert "cursor" == left.author
    assert second.already_acknowledged
    assert ("claude", clock()) == (second.bottle.acknowledged_by, second.bottle.acknowledged_at)


def test_an_expired_bottle_is_hidden_and_counted(memory, clock):
    memory.bottles.create_bottle("today only", expires_at=clock() + timedelta(hours=1))
    by_hand = memory.bottles.create_bottle("stop this").bottle
    clock.advance(hours=2)
    memory.bottles.expire_bottle(by_hand.id)

    shown = memory.bottles.list_bottles()

    assert ([], 0, 2) == (shown.bottles, shown.total, shown.expired)
    with pytest.raises(ValidationError, match="is in the past"):
        memory.bottles.create_bottle("late", expires_at=clock() - timedelta(days=1))


def test_a_bottle_reaches_its_recipient_and_no_other(memory):
    memory.bottles.create_bottle("for ann", recipient="Ann")
    memory.bottles.create_bottle("for anyone")
    elsewhere = memory.bottles.create_bottle("elsewhere", project_id="other").bottle

    def messages(**options):
        return {bottle.message for bottle in memory.bottles.list_bottles(**options).bottles}

    assert {"for ann", "for anyone"} == messages(recipient="Ann")
    assert {"for anyone"} == messages(recipient="Bob")
    with pytest.raises(NotFoundError):
        memory.bottles.acknowledge_bottles(elsewhere.id)


def test_blank_message_and_unknown_priority_are_rejected(memory):
    with pytest.raises(ValidationError, match="message must not be blank"):
        memory.bottles.create_bottle("  ")
    with pytest.raises(ValidationError, match="low, medium, high, urgent"):
        memory.bottles.create_bottle("x", priority="huge")


def test_bottles_are_paged_and_recipients_listed(memory, clock):
    for message, recipient in (("a", "mara"), ("b", ""), ("c", "chidi"), ("d", "mara")):
        memory.bottles.create_bottle(message, recipient=recipient)
        clock.advance(minutes=1)

    page = memory.bottles.list_bottles(limit=2, offset=2)

    assert (["b", "a"], 4) == ([bottle.message for bottle in page.bottles], page.total)
    assert ["chidi", "mara"] == memory.bottles.list_recipients()
