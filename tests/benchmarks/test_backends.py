"""The comparison of the vector backends, on few vectors."""

from __future__ import annotations

import json

from benchmarks import backends


def test_backends_are_compared_with_exact_search(tmp_path, capsys):
    out = tmp_path / "figures.json"
    backends.main(["--sizes", "1000", "--queries", "4", "--out", str(out)])
    figures = json.loads(out.read_text())

    assert list(backends.KINDS) * 2 == [each["kind"] for each in figures]
    assert {1.0} == {each["recall"] for each in figures}
    assert {1.0} == {each["times_exact"] for each in figures if each["kind"] == "exact"}
    assert len(figures) + 1 == len(capsys.readouterr().out.splitlines())
