"""
Writes result files into docs/benchmarks.md: ``python -m benchmarks.publish DIRECTORY``.

The directory holds the JSON of benchmarks.retrieval (bench-SUITE.json), of
benchmarks.speed (bench-speed.json), of benchmarks.facts (bench-facts.json) and of
benchmarks.dashboard (bench-dashboard.json). What stands between the page's markers is
replaced by what is there; a table without a result stays as it is.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .goals import goals
from .report import format_figure

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"

# File name -> how the page calls it.
SUITES = {
    "locomo-turns": "locomo-turns dev",
    "locomo-turns-all": "locomo-turns dev, one project for all",
    "locomo-turns-mcp": "locomo-turns dev, through the MCP tool",
    "locomo-notes": "locomo-notes dev",
    "beam-user": "beam, user messages",
    "beam-all": "beam, all messages",
    "devbench": "devbench",
    "harbour-talk": "harbour-talk",
}
PLAIN = (
    "bm25",
    "bm25, names and neighbours in the index",
    "cosine",
    "rrf of bm25 and cosine",
    "rrf of the second and cosine",
)

Results = Mapping[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Put every table there is a result for into the page."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.publish", description=__doc__)
    asked.add_argument("directory", type=Path)
    asked.add_argument("--page", type=Path, default=PAGE)
    given = asked.parse_args(arguments)
    results = {
        path.stem.removeprefix("bench-"): json.loads(path.read_text("utf-8"))
        for path in sorted(given.directory.glob("bench-*.json"))
    }
    page = given.page.read_text("utf-8")
    for name, table in TABLES.items():
        lines = list(table(results))
        if lines:
            page = between(page, name, lines)
    given.page.write_text(page, "utf-8")
    return 0


def between(page: str, name: str, lines: Sequence[str]) -> str:
    """Replace what stands between the markers of that name."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"The page has no markers {start} and {end}. Put them where it belongs.")
    whole = "\n".join([start, *lines, end])
    return pattern.sub(lambda _: whole, page)


def goal_table(results: Results) -> Iterator[str]:
    rows = [
        (title, goal, results[file]["figures"][goal.measure])
        for file, title in [*SUITES.items(), ("precision", "precision")]
        if file in results and results[file].get("through") != "mcp"
        for goal in goals(results[file]["suite"], results[file].get("scope", "project"))
    ]
    if rows:
        yield "| suite | figure | plain, published | reached | floor | target | gap |"
        yield "|---|---|---|---|---|---|---|"
    for title, goal, reached in rows:
        cells = [format_figure(goal.measure, value) for value in (goal.plain, reached, goal.floor)]
        missing = goal.target - reached
        gap = "met" if missing <= 0 else format_figure(goal.measure, missing)
        under = "" if reached >= goal.floor else " (below)"
        yield (
            f"| {title} | {goal.measure} | {cells[0]} | **{cells[1]}** | {cells[2]}{under} |"
            f" {format_figure(goal.measure, goal.target)} | {gap} |"
        )


def beside_table(results: Results) -> Iterator[str]:
    found = [(results[file], title) for file, title in SUITES.items() if file in results]
    if found:
        yield "| suite | BM25 | BM25, wide | cosine | RRF | RRF, wide | ours | @5 | MRR |"
        yield "|---|---|---|---|---|---|---|---|---|"
    for result, title in found:
        plain = [format_figure("recall@10", result["plain"][name]["recall@10"]) for name in PLAIN]
        ours = result["figures"]
        yield (
            f"| {title} | {' | '.join(plain)} |"
            f" **{format_figure('recall@10', ours['recall@10'])}** |"
            f" {format_figure('recall@5', ours['recall@5'])} | {ours['mrr']:.3f} |"
        )


def category_table(results: Results) -> Iterator[str]:
    if "locomo-turns" not in results:
        return
    yield "| category | recall@5 | recall@10 | recall@50 | MRR |"
    yield "|---|---|---|---|---|"
    for category, figures in results["locomo-turns"]["categories"].items():
        cells = [
            format_figure(name, figures[name]) for name in ("recall@5", "recall@10", "recall@50")
        ]
        yield f"| {category} | {' | '.join(cells)} | {figures['mrr']:.3f} |"


def precision_lines(results: Results) -> Iterator[str]:
    if "precision" not in results:
        return
    result = results["precision"]
    yield "| PrecisionMemBench | mean precision | mean recall | exact answers |"
    yield "|---|---|---|---|"
    for name, figures in (
        ("every hit", result["every_hit"]),
        ("what a caller keeps", result["figures"]),
    ):
        cells = [f"{figures[key]:.3f}" for key in ("precision", "recall", "exact")]
        yield f"| {name} | {' | '.join(cells)} |"


def fact_table(results: Results) -> Iterator[str]:
    found = results.get("facts", {}).get("facts", {})
    if not found:
        return
    ways = list(next(iter(found.values())))
    yield "| first / among three | questions | " + " | ".join(ways) + " |"
    yield "|---" * (len(ways) + 2) + "|"
    for name, by_way in found.items():
        cells = [f"{by_way[way]['first']} / {by_way[way]['among three']}" for way in ways]
        yield f"| {name} | {by_way[ways[0]]['questions']} | {' | '.join(cells)} |"


def speed_table(results: Results) -> Iterator[str]:
    sizes = results.get("speed", {}).get("sizes", [])
    if not sizes:
        return
    yield "| CPU ms, p50 / p95 | " + " | ".join(f"{size['rows']:,} rows" for size in sizes) + " |"
    yield "|---" * (len(sizes) + 1) + "|"
    kinds: list[tuple[str, Callable[[Any], Any]]] = [
        ("a search, in all", lambda size: size["total"]),
        ("beyond the query's embedding", lambda size: size["beyond_embedding"]),
        ("bare FTS5 OR query", lambda size: size["alone"]["fts5"]),
        ("bare turbovec", lambda size: size["alone"]["turbovec"]),
        ("numpy brute force", lambda size: size["alone"]["numpy"]),
    ]
    for name, pick in kinds:
        cells = [f"{pick(size)['p50']:.2f} / {pick(size)['p95']:.2f}" for size in sizes]
        yield f"| {name} | {' | '.join(cells)} |"
    own = [f"**{size['beyond_embedding_and_fts5_p50']:.2f}**" for size in sizes]
    yield f"| beyond embedding and bare FTS5, p50 (goal 3 at 100,000) | {' | '.join(own)} |"
    stages = sorted({stage for size in sizes for stage in size["stages"]} - {"total"})
    for stage in stages:
        cells = [_format_spread(size["stages"].get(stage)) for size in sizes]
        yield f"| stage {stage}, wall clock | {' | '.join(cells)} |"
    written = [f"{size['write_ms']:.2f}" for size in sizes]
    yield f"| write a row, encoding left out | {' | '.join(written)} |"
    stored = [f"{size['bytes_per_row']:,.0f}" for size in sizes]
    yield f"| bytes a row on disk | {' | '.join(stored)} |"


def cost_lines(results: Results) -> Iterator[str]:
    speed = results.get("speed", {})
    if write := speed.get("write"):
        yield (
            f"- Write, CPU an item: {write['cpu_ms']:.2f} ms, of it encoding"
            f" {write['encode_ms']:.2f}; the rest **{write['rest_ms']:.2f}** (goal 1). A bare"
            f" encode takes {write['bare_encode_one_ms']:.2f} alone and"
            f" {write['bare_encode_batch_ms']:.2f} in a batch."
        )
    if start := speed.get("start"):
        yield (
            f"- Start: `initialize` after **{start['initialize_s']:.2f} s** (goal 1), `tools/list`"
            f" after {start['tools_list_s']:.2f}, the first answer after"
            f" {start['first_answer_s']:.2f}, the first by meaning too after"
            f" {start['first_answer_with_vectors_s']:.2f}; peak memory"
            f" {start.get('peak_rss_mb', 0):.0f} MB."
        )


def dashboard_table(results: Results) -> Iterator[str]:
    pages = results.get("dashboard", {}).get("pages", [])
    if not pages:
        return
    yield "| page | first, ms | times empty | again, ms | times empty | CPU ms, first | again |"
    yield "|---|---|---|---|---|---|---|"
    for row in pages:
        cells = [
            f"{row['first_ms']:,.0f}",
            f"{row['first_times_empty']:.2f}",
            f"{row['second_ms']:,.0f}",
            f"{row['second_times_empty']:.2f}",
            f"**{row['cpu_first_ms']:,.0f}**",
            f"{row['cpu_second_ms']:,.0f}",
        ]
        yield f"| {row['page'].replace('_', ' ')} | {' | '.join(cells)} |"


def made_with(results: Results) -> Iterator[str]:
    for name in ("locomo-turns", "facts", "speed"):
        mark = results.get(name, {}).get("fingerprint")
        if mark:
            yield (
                f"- {name}: commit {mark['commit']}, model {mark['model']}, data"
                f" {mark['data'] or 'none'}, {mark['machine']}, Python {mark['python']},"
                f" OMP_NUM_THREADS {mark['threads']}."
            )


def _format_spread(figures: Mapping[str, float] | None) -> str:
    return f"{figures['p50']:.2f} / {figures['p95']:.2f}" if figures else ""


TABLES: dict[str, Callable[[Results], Iterator[str]]] = {
    "goals": goal_table,
    "beside": beside_table,
    "categories": category_table,
    "precision": precision_lines,
    "facts": fact_table,
    "speed": speed_table,
    "costs": cost_lines,
    "dashboard": dashboard_table,
    "made with": made_with,
}


if __name__ == "__main__":
    sys.exit(main())
