"""What users may count on of bundles and of other programs that use the memory."""

from __future__ import annotations

from tests.acceptance.number import number as _number

BRIDGES = (
    _number(
        "B14",
        "A bundle of linked Markdown documents is checked, taken in, looked at as a graph and "
        "written again; nothing is written over unless told.",
        "all_documents_are_read_with_their_front_matter",
        "links_are_resolved_from_the_root_and_from_the_document",
        "a_fault_is_named_as_an_error_or_a_warning",
        "a_folder_is_only_written_over_when_told",
        "edges_and_reachability_are_told",
        "a_bundle_goes_round",
    ),
    _number(
        "B15",
        "The packaged manifest lists exactly the tools that the server registers, and its version.",
        "the_manifest_lists_the_tools_that_the_server_registers",
        "the_unpacked_bundle_serves_its_tools_over_stdio",
    ),
)
