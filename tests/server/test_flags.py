from __future__ import annotations

from memory_core.server.flags import flags


def test_a_server_may_end_with_a_process_that_is_named_or_with_the_one_above():
    named = flags().parse_args(["--with-parent", "4711"])
    above = flags().parse_args(["--with-parent"])
    alone = flags().parse_args([])

    assert (4711, 0, None) == (named.with_parent, above.with_parent, alone.with_parent)
