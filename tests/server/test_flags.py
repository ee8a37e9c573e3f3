from __future__ import annotations

from memory_core.server.flags import flags


def test_server_exits_with_a_named_process_or_its_parent():
    named = flags().parse_args(["--with-parent", "4711"])
    above = flags().parse_args(["--with-parent"])
    alone = flags().parse_args([])

    assert (4711, 0, None) == (named.with_parent, above.with_parent, alone.with_parent)
