"""
What users may count on, number by number, and the tests that prove it.

    1-40   graph, search, time          A   entries, context, groups
    B      facts of conversations       C   what all of it must withstand

A test is named alone, or as ``folder/file::name`` where two tests share a name.
``python -m tests.acceptance.table`` writes docs/acceptance.md from this list.
"""

from __future__ import annotations

from tests.acceptance import bridge_numbers, fact_numbers, model_numbers
from tests.acceptance.number import Number
from tests.acceptance.number import number as _number

GRAPH = (
    _number(
        "1",
        "Every connection writes ahead (WAL) and enforces foreign keys.",
        "every_connection_writes_ahead_and_enforces_foreign_keys",
    ),
    _number(
        "2",
        "An entity and its full text are committed together or not at all, and found at once.",
        "a_created_entity_is_found_at_once",
        "a_write_that_fails_leaves_nothing_and_says_so",
    ),
    _number(
        "3",
        "An update refreshes words and meaning; properties are merged.",
        "an_edit_is_found_by_its_new_words_and_meaning_alone",
        "an_update_merges_properties_and_keeps_the_rest",
    ),
    _number(
        "4",
        "A deleted entity leaves no trace in any search.",
        "a_deleted_entity_leaves_no_trace_in_any_search",
        "deleting_takes_observations_and_relations_along",
    ),
    _number(
        "5",
        "An observation added, edited or removed changes what is found at once.",
        "an_observation_edited_or_removed_changes_what_is_found",
        "a_reworded_row_is_found_by_its_new_words_only",
    ),
    _number(
        "6",
        "A relation carries type, weight, confidence and properties, and goes with its ends.",
        "what_is_omitted_of_a_relation_is_kept",
        "deleting_takes_observations_and_relations_along",
    ),
    _number(
        "7",
        "A searchable keeps its id for life, and vectors and full text go by it.",
        "index_beside_database",
        "chunks_that_stay_the_same_keep_their_row",
    ),
    _number(
        "8",
        "Without the model rows are stored, found by words, marked pending, and embedded later.",
        "what_cannot_be_embedded_is_stored_and_found_by_its_words",
        "a_write_that_fails_leaves_nothing_and_says_so",
    ),
    _number(
        "9",
        "An index that cannot be read, or that disagrees, is built anew from the database.",
        "an_index_that_cannot_be_read_is_made_anew",
        "an_index_with_the_wrong_count_is_built_anew",
    ),
    _number(
        "10",
        "Clearing asks for the name and leaves an empty memory that works, beside others too.",
        "clearing_needs_the_name_and_leaves_a_working_store",
        "everything_works_right_after_clearing_also_in_a_second_process",
    ),
    _number(
        "11",
        "Text is cut at natural boundaries within a size, losing and adding nothing.",
        "nothing_is_lost_and_every_chunk_fits",
        "an_impossible_size_is_refused",
    ),
    _number(
        "12",
        "Blank titles, texts and queries and impossible limits are errors that say why.",
        "blank_and_impossible_requests_are_refused_as_errors",
    ),
    _number(
        "13",
        "A meaning finds its document first, however many entities there are.",
        "a_meaning_finds_its_document_and_not_the_other",
    ),
    _number(
        "14",
        "Deleting a document removes every chunk everywhere and says how many.",
        "deleting_a_document_tells_how_many_chunks_went",
        "deleting_a_document_removes_all_of_it_and_says_how_much",
    ),
    _number(
        "15",
        "Files are read under allowed folders only, within a size, and anew when they change.",
        "acceptance/test_documents_and_search.py::a_file_is_read_from_an_allowed_folder_only",
        "a_changed_file_replaces_its_old_text",
    ),
    _number(
        "16",
        "Prose yields entities, facts, preferences and relations without any model, if asked to.",
        "prose_yields_entities_facts_preferences_and_relations",
        "what_is_drawn_names_the_document_it_was_drawn_from",
        "one_bad_item_does_not_drop_the_rest",
        "the_same_prose_again_adds_nothing",
    ),
    _number(
        "17",
        "A channel of weight 0 is off; the first of a single channel scores 1/61.",
        "a_single_channels_first_hit_scores_one_sixty_first",
    ),
    _number(
        "18",
        "With both channels scores add, and weights move the order predictably.",
        "acceptance/test_documents_and_search.py::with_both_channels_scores_add_and_weights_move_them",
    ),
    _number(
        "19",
        "A search counts what it returned and changes nothing that is known.",
        "a_search_counts_what_it_returned_and_changes_nothing",
        "reads_answer_and_a_write_waits_while_another_process_writes",
    ),
    _number(
        "20",
        "Archived entities are not found, starve nobody, and are found again once restored.",
        "archived_entities_are_not_found_until_they_are_restored",
        "what_is_archived_is_not_returned_and_starves_nobody",
    ),
    _number(
        "21",
        "A hit carries name, type, properties, times and scores, within a bounded size.",
        "a_hit_carries_what_is_needed_to_trust_it",
        "a_long_answer_is_bounded_and_says_so",
    ),
    _number(
        "22",
        "A search stays in its project, exactly, also when the project is tiny.",
        "a_tiny_project_beside_a_large_one_is_found_whole",
    ),
    _number(
        "23",
        "Any text is a valid query.",
        "any_text_is_a_query",
        "no_query_is_syntax",
    ),
    _number(
        "24",
        "A neighbourhood is complete in both directions; an unknown node is an error.",
        "a_neighbourhood_is_complete_in_both_directions",
        "a_hologram_holds_all_within_reach_and_all_among_them",
    ),
    _number(
        "25",
        "Types outside the vocabulary are refused with the valid ones; spelling does not matter.",
        "an_unknown_relation_type_is_refused_with_the_valid_ones",
        "a_relation_type_is_understood_in_any_spelling",
        "a_relation_between_the_wrong_types_is_refused",
    ),
    _number(
        "26",
        "Orphans are listed, by page and by project.",
        "orphans_are_listed_by_project",
        "orphans_are_listed_page_by_page_and_per_project",
    ),
    _number(
        "27",
        "Analytics are deterministic, stand any weights, and work on an empty graph.",
        "the_graph_is_analysed_the_same_way_twice",
        "any_graph_of_any_weights_can_be_measured",
        "an_empty_graph_has_nothing_to_measure",
    ),
    _number(
        "28",
        "A session starts, follows the one before it in its project, and ends once.",
        "a_session_has_a_beginning_an_end_and_a_predecessor",
        "a_session_ends_once_with_summary_and_time",
    ),
    _number(
        "29",
        "A breakthrough and its link to the session are one act.",
        "a_breakthrough_is_linked_to_its_session",
        "a_breakthrough_is_stored_and_linked_in_one_act",
    ),
    _number(
        "30",
        "As of a moment the graph shows exactly what was known then, old values included.",
        "as_of_a_moment_shows_what_was_known_then",
        "a_moment_shows_exactly_what_was_known_then",
    ),
    _number(
        "31",
        "The difference of two moments lists what was added, removed and changed.",
        "the_difference_of_two_moments_is_listed",
        "a_difference_lists_added_changed_and_removed_with_before_and_after",
    ),
    _number(
        "32",
        "The timeline holds every kind of event in true order, filtered and paged.",
        "the_timeline_is_paged_and_filtered",
        "the_timeline_tells_events_in_order_with_who_and_why",
    ),
    _number(
        "33",
        "Neighbours in time come with their distance and the way to them.",
        "neighbours_in_time_have_a_distance_and_a_way",
    ),
    _number(
        "34",
        "The radar lists similar unconnected pairs and creates relations only when asked, once.",
        "the_radar_finds_what_is_alike_and_not_related",
        "the_radar_creates_only_what_is_asked_for_and_only_once",
        "a_person_is_mentioned_in_a_session",
    ),
    _number(
        "35",
        "Background discovery tells its state truthfully, survives a restart, runs once.",
        "background_discovery_is_set_and_survives_a_restart",
        "only_one_process_works",
    ),
    _number(
        "36",
        "A cycle makes one concept for each new group and nothing on unchanged knowledge.",
        "a_second_cycle_on_unchanged_data_changes_nothing",
        "a_concept_whose_group_is_gone_is_archived_and_says_why",
        "projects_are_looked_at_one_by_one",
    ),
    _number(
        "37",
        "Pruning lists by default, deletes the same list when told, by age since archiving.",
        "pruning_lists_before_it_deletes",
        "pruning_goes_by_age_since_archiving_and_deletes_what_it_listed",
    ),
    _number(
        "38",
        "Bottles are left, listed most urgent first, acknowledged, and expire.",
        "bottles_are_left_found_and_acknowledged",
        "bottles_come_most_urgent_first_then_newest",
        "services/test_bottles.py::an_expired_bottle_is_hidden_and_counted",
    ),
    _number(
        "39",
        "Search statistics count, rate and time searches honestly, within a window.",
        "search_statistics_count_searches_and_errors_honestly",
        "the_window_and_the_project_bound_what_is_counted",
    ),
    _number(
        "40",
        "Every tool and prompt is listed; the channel carries nothing but protocol.",
        "every_tool_is_served_with_a_schema_that_strict_clients_accept",
        "every_prompt_can_be_got",
        "a_print_never_reaches_the_protocol",
    ),
)

ENTRIES = (
    _number(
        "A1",
        "An entry without exactly five tags is refused with a message that names the count.",
        "an_entry_needs_exactly_five_tags",
    ),
    _number(
        "A2",
        "An unknown category is refused; each of the five is accepted.",
        "an_unknown_category_is_refused_by_name",
        "each_of_the_five_categories_is_taken",
    ),
    _number(
        "A3",
        "What is created is read by its id; an unknown id answers found = false.",
        "an_entry_is_read_by_its_id",
    ),
    _number(
        "A4",
        "Context given or appended comes back by its chunks.",
        "longer_text_is_kept_with_an_entry",
    ),
    _number(
        "A5",
        "Preparing twice is harmless, and counts are reported.",
        "preparing_twice_does_no_harm",
    ),
    _number(
        "A6",
        "One base error catches all; subclasses are distinct and keep their message.",
        "the_error_tree_in_the_docstring_is_the_real_one",
        "every_error_has_a_code_of_capitals",
    ),
)

ADDED = (
    _number(
        "C1",
        "200 parallel writes: 200 acknowledged, 200 rows, 200 findable.",
        "two_hundred_parallel_writes_are_all_there",
    ),
    _number(
        "C2",
        "Tags and arguments of the wrong kind are refused by name.",
        "tags_that_are_none_are_refused_by_name",
        "a_value_of_the_wrong_kind_is_refused_by_name",
        "a_bad_stored_choice_is_survived_and_reported",
    ),
    _number(
        "C3",
        "Many entries alike are grouped visiting a bounded number of cliques.",
        "many_alike_are_few_cliques_to_visit",
    ),
    _number(
        "C4",
        "Identical entries share an edge at any threshold.",
        "identical_entries_share_an_edge_at_any_threshold",
    ),
    _number(
        "C5",
        "Migrations keep every row.",
        "a_file_of_an_older_version_keeps_every_row",
    ),
    _number(
        "C6",
        "Files and tables of other programs stay untouched.",
        "another_programs_file_stays_untouched_byte_for_byte",
        "the_file_of_another_program_is_refused_untouched",
    ),
    _number(
        "C7",
        "Vectors of two models are never mixed; the way out is named and works.",
        "acceptance/test_upkeep.py::vectors_of_two_models_are_never_mixed",
    ),
    _number(
        "C8",
        "What has expired is never returned.",
        "what_has_expired_is_never_returned",
    ),
    _number(
        "C9",
        "Deduplication and merging can be undone.",
        "what_changed_since_a_merge_is_not_lost_when_it_is_taken_back",
        "a_merge_is_taken_back",
    ),
    _number(
        "C10",
        "A bad setting is refused when it is chosen and survived at the start.",
        "a_choice_that_breaks_its_rule_is_refused_and_changes_nothing",
        "a_bad_stored_choice_is_survived_and_reported",
    ),
    _number(
        "C11",
        "Chunks keep to their bounds, lose nothing, and hold code blocks whole where they fit.",
        "context_chunks_keep_to_their_size_and_lose_nothing",
        "a_code_block_that_fits_is_kept_whole",
    ),
    _number(
        "C12",
        "Group ids survive a rebuild and a restart.",
        "group_ids_survive_a_rebuild_and_a_restart",
        "groups_keep_their_ids",
    ),
)

SECTIONS: tuple[tuple[str, tuple[Number, ...]], ...] = (
    ("Graph, search, time", GRAPH),
    ("Entries, context, groups", ENTRIES),
    ("Facts of conversations, adapters", (*fact_numbers.CONVERSATION, *model_numbers.ADAPTERS)),
    ("Bundles and bridges", bridge_numbers.BRIDGES),
    ("What all of it withstands", (*ADDED, *fact_numbers.ADDED)),
)
