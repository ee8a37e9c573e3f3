"""Retrieval quality: ``python -m benchmarks.retrieval --suite locomo-turns``.

Rows go in through the public write calls and questions are asked through the
public search, of the service or (``--through mcp``) of the server's tool. The
data are read from ``--data``; what the repository itself carries needs none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_core.search.models import choose_engine

from . import datasets, metrics, report
from .datasets import SHIPPED, Absent, Suite
from .fingerprint import fingerprint
from .goals import goals, headline
from .measure import How, Run, headline_records, measure
from .precise import measure_precision
from .store import KeptEmbedder, recipe_and_settings

SUITES = (
    "locomo-turns",
    "locomo-notes",
    "beam",
    "precision",
    "devbench",
    "longmemeval",
    "harbour-talk",
)
SEED = 7


@dataclass(frozen=True)
class Result:
    """What a run has to say: its headline, what it prints and what it writes."""

    suite: str
    reached: dict[str, float]
    lines: list[str]
    written: dict[str, object]
    records: list[metrics.Record]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one suite; return 1 when it is below what --fail-below asks for."""
    given = parser().parse_args(arguments)
    try:
        result = run(given)
    except Absent as absent:
        print(f"skipped: {absent}")
        return 0
    for text in result.lines:
        print(text)
    if given.baseline:
        _print_comparison(result, given.baseline)
    if given.json:
        report.write(given.json, result.written, result.records)
    return _exit_code(result, given)


def parser() -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    asked.add_argument("--suite", choices=SUITES, required=True)
    asked.add_argument("--split", choices=("dev", "tune", "report"), default="dev")
    asked.add_argument("--scope", choices=("project", "all"), default="project")
    asked.add_argument("--messages", choices=("user", "all"), default="user", help="of beam")
    asked.add_argument("--data", type=Path, default=Path("../shared/data"), help="their folder")
    asked.add_argument("--through", choices=("service", "mcp"), default="service")
    asked.add_argument("--limit", type=int, default=50, help="hits asked for; 10 with mcp")
    asked.add_argument("--rerank", action="store_true", help="with the cross-encoder")
    asked.add_argument("--config", action="append", default=[], metavar="NAME=VALUE")
    asked.add_argument("--cache", type=Path, metavar="FILE", help="keep embeddings in this .npz")
    asked.add_argument("--json", type=Path, metavar="FILE", help="write the result")
    asked.add_argument("--baseline", type=Path, metavar="FILE", help="compare with that result")
    asked.add_argument(
        "--fail-below",
        metavar="FIGURE",
        help='exit with 1 if the headline is below this many percent, or below its "floor"',
    )
    return asked


def run(given: argparse.Namespace) -> Result:
    """Measure the suite that was asked for."""
    recipe, settings = recipe_and_settings(given.config)
    embedder = KeptEmbedder(
        choose_engine(settings.embedding_model, settings.embedding_engine), given.cache
    )
    how = How(
        scope=given.scope,
        through=given.through,
        limit=min(given.limit, 10) if given.through == "mcp" else given.limit,
        rerank="on" if given.rerank else "off",
        recipe=recipe,
        settings=settings,
    )
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        path = Path(folder) / "memory.db"
        if given.suite == "precision":
            result = _precision(given, how, path, embedder)
        else:
            suite = datasets.split(load(given), given.split)
            result = _retrieval(suite, how, measure(suite, how, path=path, embedder=embedder))
    embedder.save()
    result.written["fingerprint"] = fingerprint(
        model=embedder.identity().model,
        files=datasets.files_of(given.suite, _folder(given)),
        settings={"recipe": recipe.model_dump(), "config": given.config, "split": given.split},
        seed=SEED,
    )
    return result


def load(given: argparse.Namespace) -> Suite:
    """Return the suite; raise Absent if its data are not there."""
    folder = _folder(given)
    if given.suite == "beam":
        return datasets.beam(folder, given.messages)
    loaders = {
        "locomo-turns": datasets.locomo_turns,
        "locomo-notes": datasets.locomo_notes,
        "devbench": datasets.devbench,
        "longmemeval": datasets.longmemeval,
        "harbour-talk": datasets.harbour_talk,
    }
    return loaders[given.suite](folder)


def _folder(given: argparse.Namespace) -> Path:
    return SHIPPED if given.suite in ("harbour-talk", "devbench", "precision") else given.data


def _retrieval(suite: Suite, how: How, found: Run) -> Result:
    ours = headline_records(found.records, suite.apart)
    reached = metrics.summary(ours)
    lines = [
        f"{suite.name}, {how.scope} scope, through {how.through}: {found.ingest['rows']:.0f} rows,"
        f" {len(ours)} questions; left out for want of evidence: {dict(suite.left_out)}",
        report.heading(),
    ]
    plain = {
        name: metrics.summary(headline_records(records, suite.apart))
        for name, records in found.plain.items()
    }
    lines += [report.line(name, figures) for name, figures in plain.items()]
    lines.append(report.line("this memory", reached))
    categories = metrics.by_category(found.records)
    lines += [report.line(f"  {name}", figures) for name, figures in categories.items()]
    lines += [
        report.goal_line(goal, reached[goal.measure]) for goal in goals(suite.name, how.scope)
    ]
    lines += ["search, wall clock", *report.stage_lines(found.stages)]
    lines += [f"  {name}: {value:,.2f}" for name, value in found.ingest.items()]
    lines += [f"notice: {notice}" for notice in sorted(found.notices)]
    written: dict[str, object] = {
        "suite": suite.name,
        "scope": how.scope,
        "through": how.through,
        "figures": reached,
        "categories": categories,
        "plain": plain,
        "ingest": found.ingest,
        "stages": {
            name: {"p50": metrics.percentile(took, 0.5), "p95": metrics.percentile(took, 0.95)}
            for name, took in found.stages.items()
        },
        "left_out": dict(suite.left_out),
    }
    return Result(suite.name, reached, lines, written, found.records)


def _precision(given: argparse.Namespace, how: How, path: Path, embedder: KeptEmbedder) -> Result:
    lines, reached, written = measure_precision(SHIPPED, how, path=path, embedder=embedder)
    lines += [
        report.goal_line(goal, reached[goal.measure]) for goal in goals("precision", "project")
    ]
    return Result("precision", reached, lines, written, [])


def _print_comparison(result: Result, path: Path) -> None:
    before = report.read_records(path)
    print(f"against {path.name}")
    for measure_name in ("recall@5", "recall@10", "mrr"):
        found = metrics.compare(result.records, before, measure_name, seed=SEED)
        print("  " + report.comparison_line(measure_name, found))


def _exit_code(result: Result, given: argparse.Namespace) -> int:
    """Return 1, having said why, when the result is below what was asked for."""
    if not given.fail_below:
        return 0
    known = goals(result.suite, given.scope)
    wanted = {goal.measure: goal.floor for goal in known}
    if given.fail_below != "floor":
        wanted = {headline(result.suite, given.scope): float(given.fail_below) / 100}
    missed = {name: floor for name, floor in wanted.items() if result.reached[name] < floor}
    for name, floor in missed.items():
        reached = report.format_figure(name, result.reached[name])
        print(f"{name} is {reached}, below {report.format_figure(name, floor)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
