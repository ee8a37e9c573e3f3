"""What users may count on of models asked over HTTP and of what holds vectors."""

from __future__ import annotations

from tests.acceptance.number import number as _number

ADAPTERS = (
    _number(
        "B7",
        "Vectors of another length are refused, and so is a store of another dimension.",
        "search/test_remote.py::a_vector_of_another_length_is_refused",
        "another_model_is_refused_by_name",
        "acceptance/test_embedding_providers.py::vectors_of_two_models_are_never_mixed",
    ),
    _number(
        "B9",
        "Whichever backend holds the vectors, it keeps the same contract.",
        "index_beside_database",
        "few_vectors_and_odd_dimensions_are_compared_in_full",
    ),
    _number(
        "B12",
        "Texts go to a provider in its batches and come back in order, at length one.",
        "texts_go_in_batches_of_the_providers_size",
        "answers_in_another_order_are_put_back_in_order",
        "vectors_have_length_one_whatever_the_provider_sends",
        "a_length_is_sent_only_where_one_is_asked_for",
        "another_status_is_an_embedding_error_without_the_key",
    ),
)
