"""One run of one suite: fill a store, ask every question, and rank the same rows plainly."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from memory_core.memory import Memory
from memory_core.model.search.recipe import Recipe
from memory_core.model.search.results import Rerank
from memory_core.settings import Settings

from . import baselines, metrics
from .askers import AskFunction, Service, through_mcp
from .datasets import Conversation, Question, Row, Suite
from .metrics import Record
from .store import Filed, KeptEmbedder, Scope, fill, open_store, settle


@dataclass(frozen=True)
class How:
    """How a suite is asked."""

    scope: Scope = "project"
    through: str = "service"
    limit: int = 50
    rerank: Rerank = "off"
    recipe: Recipe = field(default_factory=Recipe)
    settings: Settings = field(default_factory=Settings)


@dataclass
class Run:
    """What came out."""

    records: list[Record] = field(default_factory=list)
    plain: dict[str, list[Record]] = field(default_factory=dict)
    stages: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    notices: set[str] = field(default_factory=set)
    ingest: dict[str, float] = field(default_factory=dict)


def measure(suite: Suite, how: How, *, path: Path, embedder: KeptEmbedder) -> Run:
    """Run a suite in a new store at *path*."""
    run = Run()
    settings = how.settings
    if suite.user:
        settings = settings.model_copy(update={"memory_user_entity": suite.user.lower()})
    memory = open_store(path, embedder, settings)
    try:
        filed = fill(memory, suite, how.scope)
        _ingest(run, memory, filed, embedder)
        with open_asker(memory, how, settings) as ask:
            ask_all(run, suite, filed, ask, limit=how.limit)
        run.plain = plain(suite, how.scope, embedder)
    finally:
        memory.close()
    run.ingest["bytes"] = float(sum(f.stat().st_size for f in path.parent.glob(f"{path.name}*")))
    return run


def ask_all(run: Run, suite: Suite, filed: Filed, ask: AskFunction, *, limit: int) -> None:
    """Ask every question of the suite and record where its gold rows stood."""
    for talk in suite.conversations:
        for question in talk.questions:
            found = _ask(run, ask, question.text, filed.project_of[talk.id], limit)
            ranks = metrics.gold_ranks(found, filed.gold(talk, question))
            run.records.append(Record(question.id, talk.id, question.category, ranks))


@contextmanager
def open_asker(
    memory: Memory, how: How, settings: Settings, *, explain: bool = False
) -> Iterator[AskFunction]:
    """Yield the way in which questions are asked."""
    if how.through == "mcp":
        with through_mcp(memory, settings, rerank=how.rerank, explain=explain) as tool:
            yield tool
    else:
        with nullcontext(Service(memory, how.recipe, how.rerank, explain)) as service:
            yield service


def plain(suite: Suite, scope: Scope, embedder: KeptEmbedder) -> dict[str, list[Record]]:
    """Return the records of plain search over the same rows."""
    records: dict[str, list[Record]] = defaultdict(list)
    talks = suite.conversations if scope == "project" else (_join_conversations(suite),)
    for talk in talks:
        narrow = baselines.bm25([_bare(row) for row in talk.rows], talk.questions)
        wide = baselines.bm25(talk.rows, talk.questions)
        cosine = baselines.cosine(
            talk.rows,
            talk.questions,
            embedder.embed(
                [f"{row.speaker}: {row.text}" if suite.is_talk else row.text for row in talk.rows]
            ),
            embedder.embed([question.text for question in talk.questions]),
        )
        rankings = {
            "bm25": narrow,
            "bm25, names and neighbours in the index": wide,
            "cosine": cosine,
            "rrf of bm25 and cosine": baselines.rrf(narrow, cosine),
            "rrf of the second and cosine": baselines.rrf(wide, cosine),
        }
        for name, ranking in rankings.items():
            records[name] += [
                Record(
                    question.id,
                    talk.id,
                    question.category,
                    metrics.gold_ranks(ranking[question.id], question.gold),
                )
                for question in talk.questions
            ]
    return dict(records)


def _ask(run: Run, ask: AskFunction, query: str, project: str, limit: int) -> list[str]:
    """Return the ids of the hits; add what the call took to the run."""
    started = time.perf_counter()
    result = ask.ask(query, project, limit)
    run.stages["call"].append((time.perf_counter() - started) * 1000)
    for stage, took in result.took.items():
        run.stages[stage].append(took)
    if result.notice:
        run.notices.add(result.notice)
    return [hit.id for hit in result.hits]


def _ingest(run: Run, memory: Memory, filed: Filed, embedder: KeptEmbedder) -> None:
    started = time.perf_counter()
    settle(memory)
    run.ingest = {
        "rows": float(filed.rows),
        "repeated": float(filed.repeated),
        "rows_per_second": filed.rows / filed.seconds,
        "write_cpu_ms_per_row": 1000 * filed.cpu / filed.rows,
        "encoded": float(embedder.encoded),
        "encode_cpu_ms_per_text": 1000 * embedder.cpu / max(1, embedder.encoded),
        "settle_seconds": time.perf_counter() - started,
    }


def _join_conversations(suite: Suite) -> Conversation:
    """Return all conversations as one, ids made unique by the conversation's."""
    rows: list[Row] = []
    questions: list[Question] = []
    for talk in suite.conversations:
        rows += [replace(row, id=f"{talk.id}/{row.id}") for row in talk.rows]
        questions += [
            replace(
                question,
                id=f"{talk.id}/{question.id}",
                gold=frozenset(f"{talk.id}/{id}" for id in question.gold),
            )
            for question in talk.questions
        ]
    return Conversation("all", tuple(rows), tuple(questions))


def _bare(row: Row) -> Row:
    return replace(row, speaker="", session="", at=None)


def headline_records(records: Sequence[Record], apart: frozenset[str]) -> list[Record]:
    """Leave out the categories that are reported apart."""
    return [record for record in records if record.category not in apart]
