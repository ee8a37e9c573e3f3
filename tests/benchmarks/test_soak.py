"""The long form of the tests of faults, in its shortest form."""

from __future__ import annotations

import json
import sys

from benchmarks import soak
from benchmarks.faults import page


def test_a_soak_writes_its_counts_and_puts_them_on_the_page(tmp_path, monkeypatch, capsys):
    """
    One part alone, run through the command line; the page keeps what stands around the counts.
    """
    shown, output = tmp_path / "page.md", tmp_path / "soak.json"
    shown.write_text(f"before\n<!-- {page.MARK} -->\nold\n<!-- end of {page.MARK} -->\nafter\n")
    asked = ["--only", "life", "--minutes", "0.02"]
    monkeypatch.setattr(
        sys, "argv", ["soak", *asked, "--output", str(output), "--publish", str(shown)]
    )

    code = soak.main()

    counts = json.loads(output.read_text())["life"]
    assert (0, []) == (code, counts["complaints"])
    assert counts["rounds"] > 0
    assert "0 complaints" in capsys.readouterr().out
    text = shown.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n")
    assert f"| life | {counts['rounds']:,} rounds" in text
    assert "old" not in text


def test_complaints_make_a_soak_fail_and_do_not_end_it(tmp_path, monkeypatch, capsys):
    """
    What one part found or could not do is told, and the next part runs all the same.
    """
    monkeypatch.setattr(soak, "_scarcity", lambda: {"complaints": ["half-written"]})
    monkeypatch.setattr(sys, "argv", ["soak", "--only", "scarcity"])

    assert 1 == soak.main()
    assert "half-written" in capsys.readouterr().out
