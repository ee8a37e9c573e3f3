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
        "B2",
        "A failing model does not raise out of remember; the answer says that it failed.",
        "b2_a_failing_model_is_reported_and_raises_nothing",
        "a_failing_model_is_told_of_and_the_job_is_kept",
    ),
    number(
        "B3",
        "One memory a fact, with id, vector and scope; nothing memorable stores none.",
        "b3_one_memory_a_fact_with_its_scope",
        "each_fact_is_stored_with_its_scope_and_a_vector",
        "nothing_memorable_stores_nothing",
    ),
    number(
        "B4",
        "Facts that are given as such ask no extractor.",
        "b4_facts_that_are_submitted_ask_no_extractor",
        "facts_that_are_known_as_such_ask_no_extractor",
    ),
    number(
        "B5",
        "Every method of a closed memory says that it is closed.",
        "b5_a_closed_memory_says_so",
        "every_method_of_a_closed_memory_says_that_it_is_closed",
    ),
    number(
        "B6",
        "Recall is ordered, bounded and scoped; deleting removes just what was meant.",
        "b6_recall_is_ordered_bounded_and_scoped",
        "b6_deleting_removes_just_the_one_and_a_scope_just_its_own",
        "scores_descend_within_bounds_and_no_user_sees_another",
    ),
    number(
        "B8",
        "An update keeps id and age, and changes text, vector and the time of the change.",
        "b8_an_update_keeps_id_and_age",
        "an_update_keeps_the_id_and_the_age_of_a_fact",
    ),
    number(
        "B10",
        "What is known is merged, replaced, skipped or stored again, as the setting says.",
        "b10_what_is_known_is_not_stored_again",
        "b10_a_merge_asks_the_model_once",
        "off_always_inserts",
        "skip_keeps_what_is_known",
        "replace_takes_the_richer_words_and_ignores_the_poorer",
        "merge_asks_the_model_once_about_all_that_is_alike",
        "a_merge_that_fails_keeps_both_and_links_them",
        "below_the_threshold_facts_stay_two",
        "equal_facts_of_two_users_stay_two",
    ),
    number(
        "B11",
        "Of two facts the one that says more is told; a generalisation never replaces.",
        "b11_a_generalisation_never_replaces",
        "a_refinement_says_more_and_a_generalisation_never_replaces",
        "what_is_blank_says_nothing",
        "dense_beats_padded",
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
        "C13",
        "A failed extraction is never called stored, and its conversation is kept.",
        "c13_a_failed_extraction_is_never_called_stored",
        "a_model_that_fails_costs_nothing_and_is_never_said_to_have_stored",
        "upkeep_tries_again_with_longer_and_longer_pauses",
    ),
    number(
        "C14",
        "Five facts of one user among a thousand of another are all found.",
        "c14_five_facts_of_alice_among_a_thousand_of_bob_are_all_found",
    ),
    number(
        "C15",
        "A call without a scope neither reads, merges into nor deletes rows of a user.",
        "c15_an_empty_scope_does_not_touch_rows_of_a_user",
        "a_fact_of_a_user_is_not_found_by_its_id_alone",
    ),
    number(
        "C16",
        "A fault between any two steps of a merge leaves the old state or the new.",
        "a_merge_is_whole_or_not_at_all",
        "a_job_is_finished_once_whichever_statement_fails",
    ),
    number(
        "C17",
        "Of a model's output only valid facts are stored, and of the rest the reason is told.",
        "of_an_answer_that_breaks_off_the_whole_facts_stand",
        "of_wrong_items_each_is_left_out_with_its_reason",
        "more_facts_than_a_conversation_can_hold_are_refused_but_the_first",
        "an_answer_without_facts_is_told_as_a_failure",
        "c17_only_valid_facts_are_stored_and_the_rest_is_named",
    ),
    number(
        "C18",
        "An update supersedes in any script and loses nothing; a denial is a conflict.",
        "c18_an_update_supersedes_and_a_denial_is_a_conflict",
        "another_value_in_one_place_is_news_in_any_script",
        "a_denial_is_a_conflict_and_no_duplicate",
        "an_update_of_equal_length_supersedes_and_loses_nothing",
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
