"""Recall in 20 languages: ``python -m benchmarks.languages``.

Each language is a project of ten sentences (``data/languages.txt``). A sentence is searched by a
keyword in another spelling or form, through full text alone, and by a question in other words,
through the vectors alone; both also through the search as it is, without a floor of relevance.
Prints recall@1 and recall@3.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_core.memory import Memory, open_memory
from memory_core.model.graph.entities import NewObservation

DATA = Path(__file__).parent / "data" / "languages.txt"
# Of one channel alone, the other has no weight.
CHANNELS: Mapping[str, Mapping[str, float] | None] = {
    "keyword": {"vector": 0},
    "semantic": {"lexical": 0},
    "both": None,
}
DEPTHS = (1, 3)
COLUMNS = [
    ("keyword", "keyword"),
    ("semantic", "semantic"),
    ("keyword", "both"),
    ("semantic", "both"),
]


@dataclass(frozen=True)
class Case:
    """A sentence, and the two queries that must find it."""

    sentence: str
    keyword: str
    semantic: str


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures")
    parser.add_argument("--only", nargs="+", default=[], metavar="LANGUAGE")
    given = parser.parse_args(arguments)
    languages = load_cases(DATA.read_text("utf-8"))
    chosen = {name: languages[name] for name in given.only or languages}
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "memory.db")
        fill(memory, chosen)
        figures = {name: measure(memory, name, cases) for name, cases in chosen.items()}
        memory.close()
    show(figures)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def load_cases(text: str) -> dict[str, list[Case]]:
    """Return the cases of each language."""
    languages: dict[str, list[Case]] = {}
    for line in text.splitlines():
        if line.startswith("== "):
            cases = languages[line.removeprefix("== ")] = []
        elif line and not line.startswith("#"):
            cases.append(Case(*(part.strip() for part in line.split("|"))))
    return languages


def fill(memory: Memory, languages: Mapping[str, Sequence[Case]]) -> None:
    for name, cases in languages.items():
        memory.graph.create_entity("Notes", "concept", project_id=name)
        memory.observations.add_observations(
            [NewObservation(entity_id="notes", content=case.sentence) for case in cases],
            project_id=name,
        )
    memory.catch_up()


def measure(memory: Memory, language: str, cases: Sequence[Case]) -> dict[str, float]:
    """Return the recall of each kind of query through each channel, by depth, in percent."""
    figures = {}
    for query, channel in COLUMNS:
        found = [_found(memory, language, getattr(case, query), channel) for case in cases]
        for depth in DEPTHS:
            hits = [
                case.sentence in texts[:depth] for case, texts in zip(cases, found, strict=True)
            ]
            figures[f"{query} query, {channel}, recall@{depth}"] = 100 * sum(hits) / len(cases)
    return figures


def _found(memory: Memory, language: str, query: str, channel: str) -> list[str]:
    result = memory.search.search_memory(
        query,
        project_id=language,
        limit=max(DEPTHS),
        kinds=("observation",),
        channel_weights=CHANNELS[channel],
        min_relevance=0,
    )
    return [hit.text for hit in result.hits]


def show(figures: Mapping[str, Mapping[str, float]]) -> None:
    names = list(next(iter(figures.values())))
    mean = {name: sum(each[name] for each in figures.values()) / len(figures) for name in names}
    print("| language | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for language, values in [*figures.items(), ("mean", mean)]:
        print(f"| {language} | " + " | ".join(f"{values[name]:.0f}" for name in names) + " |")


if __name__ == "__main__":
    sys.exit(main())
