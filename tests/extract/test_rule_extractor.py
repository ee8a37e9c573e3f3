"""Facts found by rules in a whole conversation."""

from __future__ import annotations

import pytest

from memory_core.extract.rule_extractor import RuleExtractor
from memory_core.model.facts.extraction import Message


def said(*messages):
    return [fact.content for fact in RuleExtractor().facts(messages).facts]


@pytest.mark.parametrize(
    "role", ["assistant", "Assistant", "model", "ai", "system", "developer", "tool", "function"]
)
def test_assistant_and_tool_messages_yield_no_facts(role):
    found = said(Message(role=role, content="I live in the cloud."), Message(content="I like tea."))

    assert ["The user likes tea."] == found


def test_facts_name_the_speaker_if_known():
    found = said(
        Message(name="Ann", content="I like tea. My sister lives in Rome."),
        Message(role="customer", content="I like rum."),
    )

    assert ["Ann likes tea.", "Ann's sister lives in Rome.", "The user likes rum."] == found


def test_duplicate_facts_are_extracted_once_and_reported():
    parsed = RuleExtractor().facts(
        [
            Message(content="I use Vim."),
            Message(content="I use vim."),
            Message(content="I ski often."),
        ]
    )

    assert (["The user uses Vim."], 1) == (
        [each.content for each in parsed.facts],
        len(parsed.refused),
    )


def test_each_fact_names_its_message_and_its_place():
    (fact,) = (
        RuleExtractor().facts([Message(content="Hi!"), Message(content="Hm. I like tea.")]).facts
    )

    assert (1, 4, "I like tea.") == (fact.message, fact.offset, fact.source)
