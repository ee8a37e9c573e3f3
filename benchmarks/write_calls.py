"""Python calls of one write, and how many of them redact: python -m benchmarks.write_calls."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from memory_core import Settings, open_memory
from memory_core.memory import Memory
from memory_core.model.scope import Scope

from .corpus import HashingEmbedder

# Modules that look for secrets, in this version and in the ones that it is compared with.
_REDACTION = ("secrets.py", "secret_prefixes.py", "redaction.py", "redacting_connection.py")
_REDACTION_BEFORE = ("guarded.py",)

_TAGS = ["report", "archive", "night", "schedule", "storage"]

WRITES: dict[str, Callable[[Memory, int], object]] = {
    "add_observation": lambda memory, n: memory.observations.add_observation(
        "billing", f"The report number {n} is written to the archive on Sunday."
    ),
    "create_entity": lambda memory, n: memory.graph.create_entity(
        f"Billing service {n}", "service", properties={"language": "a compiled one"}
    ),
    "add_knowledge": lambda memory, n: memory.knowledge.add_document(
        f"Runbook {n}", f"The report number {n} is written to the archive on Sunday."
    ),
    "memory_write": lambda memory, n: memory.entries.write_entry(
        f"The report number {n} is written to the archive on Sunday.", _TAGS, category="knowledge"
    ),
    "remember": lambda memory, n: memory.conversation.add_messages(
        f"The user reads the report number {n} on Sunday.", Scope()
    ),
}


class Calls(NamedTuple):
    """Calls of Python functions, generator steps included, on the thread that writes."""

    total: int
    redaction: int


def count(function: Callable[[], object]) -> Calls:
    """Call *function* and count the Python calls that it makes."""
    files: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            files[Path(frame.f_code.co_filename).name] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    # The standard library has a secrets module too, with few calls.
    redaction = sum(files[name] for name in (*_REDACTION, *_REDACTION_BEFORE))
    return Calls(files.total(), redaction)


def measure(folder: Path) -> dict[str, Calls]:
    """Return the calls of the second write of each kind: the first one imports and compiles."""
    settings = Settings(memory_data_dir=folder, dedup_wait_seconds=0)
    memory = open_memory(settings, path=folder / "memory.db", embedder=HashingEmbedder())
    try:
        memory.graph.create_entity("Billing", "service")
        return {name: _second(write, memory) for name, write in WRITES.items()}
    finally:
        memory.close()


def _second(write: Callable[[Memory, int], object], memory: Memory) -> Calls:
    write(memory, 1)
    return count(lambda: write(memory, 2))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'write':<18}{'calls':>8}{'redaction':>12}{'share':>8}")
        for name, calls in measure(Path(folder)).items():
            share = calls.redaction / calls.total
            print(f"{name:<18}{calls.total:>8}{calls.redaction:>12}{share:>8.0%}")


if __name__ == "__main__":
    main()
