"""The long form of the tests of faults, in its shortest form."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import soak
from benchmarks.faults import page
from benchmarks.faults.life import Held, Life


@pytest.mark.process
def test_a_soak_writes_its_counts_and_puts_them_on_the_page(tmp_path, monkeypatch, capsys):
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


def test_failed_checks_fail_the_soak_without_stopping_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(soak, "_scarcity", lambda: {"complaints": ["half-written"]})
    monkeypatch.setattr(sys, "argv", ["soak", "--only", "scarcity"])

    assert 1 == soak.main()
    assert "half-written" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("moments", "slope"),
    [([], 0), ([10], 0), ([10, 10], 0), ([0, 1800, 3600], 200)],
    ids=["nothing", "one", "one moment twice", "an hour"],
)
def test_memory_slope_is_per_hour_and_undefined_without_elapsed_time(moments, slope):
    figures = [Held(at, 1000 + 100 * place, 3, 1) for place, at in enumerate(moments)]

    assert slope == Life(figures=figures).kilobytes_an_hour
