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
def test_what_a_program_says_of_itself_is_nobodys_fact(role):
    found = said(Message(role=role, content="I live in the cloud."), Message(content="I like tea."))

    assert ["The user likes tea."] == found


def test_who_speaks_is_named_where_the_name_is_known():
    found = said(
        Message(name="Ann", content="I like tea. My sister lives in Rome."),
        Message(role="customer", content="I like rum."),
    )

    assert ["Ann likes tea.", "Ann's sister lives in Rome.", "The user likes rum."] == found


def test_the_same_fact_twice_is_found_once_and_told():
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
