"""The numbers of facts from conversations and of adapters, as numbers.py has the others."""

from __future__ import annotations

from tests.acceptance.number import Number, number

CONVERSATION: tuple[Number, ...] = (
    number(
        "B1",
        "A model's facts are read as a list, fenced, wrapped or in prose; rubbish yields none.",
        "facts_are_read_however_a_model_wraps_them",
        "rubbish_yields_no_facts_and_says_so",
    ),
    number(
        "B13",
        "One key serves both roles, providers can be mixed, a placeholder is no key.",
        "one_key_serves_language_and_embeddings",
        "two_providers_each_get_their_own_key",
        "a_placeholder_is_no_key",
        "a_missing_key_is_named_by_provider_when_facts_are_wanted",
        "a_missing_key_or_model_is_named_by_provider",
    ),
)

ADDED: tuple[Number, ...] = (
    number(
        "C17",
        "Of a model's output only valid facts are stored, and of the rest the reason is told.",
        "of_an_answer_that_breaks_off_the_whole_facts_stand",
        "of_wrong_items_each_is_left_out_with_its_reason",
        "more_facts_than_a_conversation_can_hold_are_refused_but_the_first",
        "an_answer_without_facts_is_told_as_a_failure",
    ),
    number(
        "C19",
        "No test, and so nothing by default, talks to another machine.",
        "a_connection_to_another_machine_is_refused_and_noted",
        "another_machine_is_asked_only_where_that_is_allowed",
        "search/test_remote.py::nothing_is_sent_to_another_machine_unless_that_is_allowed",
        "search/test_mirrors.py::nothing_is_sent_to_another_machine_unless_that_is_allowed",
    ),
    number(
        "C20",
        "The client's own model is asked in both generations of the protocol, or does without.",
        "the_clients_model_finds_the_facts",
        "a_client_without_a_model_is_not_asked",
        "a_client_that_refuses_leaves_its_conversation_in_a_job",
    ),
)
