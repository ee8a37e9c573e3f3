"""
The long form of tests/faults: ``python -m benchmarks.soak``.

Kills every act over and over, damages files, fills the disk, lets many processes at one memory,
lets clients vanish, asks every tool for anything, installs what the image installs, and lives
for an hour, with the code that the tests run a little of. Prints counts as it goes, writes them as
JSON (in addition to other parts already in the file), and ends with 1 if there was anything
to complain of.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from .faults import crowd, damage, fuzzing, image, life, scarcity, vanishing
from .faults.acts import ACTS
from .faults.children import PATIENCE, Failed, answer_of
from .faults.killing import kill_often
from .faults.page import publish

# Of the kills, half are of writers; the others are shared by all other acts.
WRITERS_SHARE = 0.5
SHOWN = 5

Counts = dict[str, Any]


def main() -> int:
    given = _arguments().parse_args()
    # What is damaged on purpose is not worth a warning each.
    logging.getLogger().addHandler(logging.NullHandler())
    parts: Mapping[str, Callable[[], Counts]] = {
        "kills": partial(_kills, given.kills, given.seed),
        "damage": partial(_damage, given.damages, given.seed),
        "scarcity": _scarcity,
        "crowd": partial(_crowd, given.writers, given.writes),
        "vanishing": partial(_vanishing, given.clients),
        "calls": partial(_calls, given.calls, given.seed),
        "image": _image,
        "life": partial(_life, given.minutes),
    }
    report: Counts = {**_earlier(given.output), "machine": _machine(), "seed": given.seed}
    for name in given.only or parts:
        started = time.monotonic()
        report[name] = _count_part(parts[name])
        report[name]["seconds"] = round(time.monotonic() - started, 1)
        print(f"{name}: {json.dumps(_short(report[name]))}", flush=True)
    if given.output:
        given.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if given.publish:
        publish(given.publish, report)
    found = sum(len(part["complaints"]) for part in report.values() if isinstance(part, dict))
    print(f"{found} complaints", flush=True)
    return 1 if found else 0


def _count_part(part: Callable[[], Counts]) -> Counts:
    try:
        return part()
    except (Failed, AssertionError, OSError) as error:
        return {"complaints": [f"it could not be run to its end: {str(error)[-1500:]}"]}


def _kills(times: int, seed: int) -> Counts:
    others = [act.name for act in ACTS if act.name != "write"]
    each = max(1, round(times * (1 - WRITERS_SHARE) / len(others)))
    wanted = {"write": max(1, times - each * len(others)), **dict.fromkeys(others, each)}
    counts: Counts = {"complaints": [], "acts": {}}
    for name, often in wanted.items():
        reported = asdict(kill_often(name, often, seed=seed))
        counts["complaints"] += reported.pop("complaints")
        counts["acts"][name] = reported
        print(f"  {name}: {json.dumps(reported)}", flush=True)
    for total in ("killed", "before_the_end", "acknowledged"):
        counts[total] = sum(act[total] for act in counts["acts"].values())
    return counts


def _damage(times: int, seed: int) -> Counts:
    chance = random.Random(seed)
    complaints: list[str] = []
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        base = Path(folder) / "base" / "memory.db"
        base.parent.mkdir()
        damage.make_indexed(base)
        for _ in range(times):
            with _folder() as path:
                complaints += damage.damaged_index(base, path, chance)
            with _folder() as path:
                complaints += damage.cut_log(path, chance.random(), chance.randrange(1000))
            with _folder() as path:
                complaints += damage.full_text_out_of_step(path, chance)
            with _folder() as path:
                complaints += damage.damaged_memory(path, chance)
    sorts = ("indexes", "logs_cut", "full_texts", "memories")
    return {**dict.fromkeys(sorts, times), "complaints": complaints}


def _scarcity() -> Counts:
    with _folder() as path:
        refusals, complaints = answer_of(scarcity.full_disk, path)
    odd = [str(each) for each in refusals if each.code not in ("", "STORAGE_FAILED")]
    return {
        "refused": sum(bool(each.code) for each in refusals),
        "complaints": [*complaints, *odd],
    }


def _crowd(writers: int, writes: int) -> Counts:
    with _folder() as path:
        reported = crowd.gather(path, writers=writers, writes=writes)
    ratio = reported.read_in_company / reported.read_alone if reported.read_alone else 0.0
    counts = asdict(reported)
    return {**counts, "seconds_of_writing": counts.pop("seconds"), "slower": round(ratio, 1)}


def _vanishing(times: int) -> Counts:
    if not Path("/proc/self").exists():
        return {"complaints": [], "notice": "handles are counted in /proc, which is not here"}
    with _folder() as path:
        return asdict(vanishing.vanish(path.parent, times))


def _calls(times: int, seed: int) -> Counts:
    logging.disable(logging.CRITICAL)
    try:
        reported = asdict(fuzzing.fuzz(times, seed=seed))
    finally:
        logging.disable(logging.NOTSET)
    return {**reported, "complaints": reported.pop("problems"), "tools": len(fuzzing.schemas())}


def _image() -> Counts:
    with _folder() as path:
        return asdict(image.install_image(path.parent))


def _life(minutes: float) -> Counts:
    with _folder() as path:
        reported: life.Life = answer_of(
            partial(life.live, path, minutes=minutes), patience=minutes * 60 + PATIENCE
        )
    names = {"start": 0.0, "middle": 0.5, "end": 1.0}
    return {
        "rounds": reported.rounds,
        "minutes": minutes,
        **{name: asdict(reported.at(share)) for name, share in names.items()},
        "kilobytes_an_hour": round(reported.kilobytes_an_hour),
        "complaints": reported.complaints,
    }


def _earlier(output: Path | None) -> Counts:
    """Return the counts of parts that were run before, each by itself."""
    if output is None or not output.exists():
        return {}
    counts: Counts = json.loads(output.read_text(encoding="utf-8"))
    return counts


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield where a memory may be made, in a folder that goes afterwards."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        yield Path(folder) / "memory.db"


def _short(part: Counts) -> Counts:
    return {**part, "complaints": [str(each)[:400] for each in part["complaints"][:SHOWN]]}


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="in all, over every act")
    parser.add_argument("--damages", type=int, default=100, help="of each sort of file")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--writes", type=int, default=500, help="of each writer")
    parser.add_argument("--clients", type=int, default=100, help="that vanish, of each sort")
    parser.add_argument("--calls", type=int, default=10_000, help="of any tool with anything")
    parser.add_argument("--minutes", type=float, default=60, help="of searches and writes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="where the counts go as JSON")
    parser.add_argument("--publish", type=Path, help="the page whose counts are replaced")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=(*("kills", "damage", "scarcity", "crowd", "vanishing", "calls", "image", "life"),),
        help="these parts alone",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
