"""
Facts asked for in other words: ``python -m benchmarks.facts``.

Ninety facts of our own, in three sets, each with a question that shares no telling word
with it where that can be helped; and thirty questions that share one rare word with
their fact and nothing else. Thirty facts and fifteen such questions more confirm. Facts
go in as such and are recalled as such. Prints and writes how many have the right fact
first and among the first three: by cosine alone, with full text at its whole share
regardless of its hits, and as shipped.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_core.memory import Memory
from memory_core.model.scope import Scope
from memory_core.model.search.recipe import Recipe
from memory_core.search.embedder import Embedder
from memory_core.search.models import choose_engine
from memory_core.settings import Settings

from .datasets import SHIPPED
from .fingerprint import fingerprint
from .store import open_store, settle

PATH = SHIPPED / "facts_in_other_words.json"
ALL = "all ninety together"
ONE_WORD = "the same, asked by one rare word"
# Written after the recipe was chosen, and asked once.
CONFIRMING = "confirming"
FIRST = 3

# (fact, question)
Pairs = Sequence[tuple[str, str]]
Figures = dict[str, int]

WAYS: Mapping[str, Recipe] = {
    "cosine alone": Recipe(dense=1),
    "whole share": Recipe(lexical_least=1),
    "ours": Recipe(),
}


def main(arguments: Sequence[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.facts", description=__doc__)
    asked.add_argument("--json", type=Path, metavar="FILE", help="write the result")
    given = asked.parse_args(arguments)
    embedder = choose_engine("all-MiniLM-L6-v2", "onnx")
    found: dict[str, dict[str, Figures]] = {}
    for name, (facts, questions) in suites().items():
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            memory = memory_of(Path(folder) / "memory.db", facts, embedder)
            found[name] = {way: ask(memory, questions, recipe) for way, recipe in WAYS.items()}
            memory.close()
        print(name, *(f"  {way}: {figures}" for way, figures in found[name].items()), sep="\n")
    if given.json:
        mark = fingerprint(model=embedder.identity().model, files=[PATH], settings={}, seed=0)
        written = {"facts": found, "fingerprint": mark}
        given.json.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    return 0


def suites() -> dict[str, tuple[list[str], Pairs]]:
    """Return by name the facts to remember and what is asked of them."""
    loaded = json.loads(PATH.read_text("utf-8"))
    sets = {each["id"]: _pairs(each["facts"]) for each in loaded["sets"]}
    together = [pair for pairs in sets.values() for pair in pairs]
    facts = [fact for fact, _ in together]
    fresh = [each["fact"] for each in loaded["confirming"]["facts"]]
    return {
        **{name: ([fact for fact, _ in pairs], pairs) for name, pairs in sets.items()},
        ALL: (facts, together),
        ONE_WORD: (facts, _pairs(loaded["one_word"])),
        CONFIRMING: (fresh, _pairs(loaded["confirming"]["facts"])),
        f"{CONFIRMING}, one rare word": (fresh, _pairs(loaded["confirming"]["one_word"])),
    }


def memory_of(path: Path, facts: Sequence[str], embedder: Embedder) -> Memory:
    """Return a memory that holds these facts of one user and nothing else."""
    memory = open_store(path, embedder, Settings())
    memory.conversation.add_facts(list(facts), Scope(user_id="some-user"))
    settle(memory)
    return memory


def ask(memory: Memory, questions: Pairs, recipe: Recipe) -> Figures:
    """Return of how many questions the fact came first, and among the first three."""
    figures = {"questions": len(questions), "first": 0, "among three": 0}
    for fact, question in questions:
        result = memory.search.search_memory(
            question, kinds=["fact"], user_id="some-user", limit=FIRST, recipe=recipe
        )
        texts = [hit.text for hit in result.hits]
        figures["first"] += texts[:1] == [fact]
        figures["among three"] += fact in texts
    return figures


def _pairs(loaded: Sequence[Any]) -> list[tuple[str, str]]:
    return [(each["fact"], each["question"]) for each in loaded]


if __name__ == "__main__":
    sys.exit(main())
