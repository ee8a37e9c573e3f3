"""
Every tool, asked for what its own schema allows and for what it does not.

Every answer is a result or a clear refusal; a refusal changed nothing; no
answer is a bug of ours that was caught at the last moment.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from mcp import Client
from mcp.types import CallToolResult

from memory_core.memory import Memory, open_memory
from memory_core.server.app import build_server
from memory_core.settings import Settings

from ..corpus import HashingEmbedder
from .worlds import DIMENSION, fill

# A call that takes longer hangs, on however busy a machine.
PATIENCE = 120

# What an argument of that name is mostly given, so that a good part of the calls goes through:
# the first part of a name that is listed here decides.
_FITTING: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("project_id", ("default", "default", "other", "*", "new")),
    ("timestamp", ("2026-01-01", "2035-06-01T10:00:00Z", "2026-01-01T10:00")),
    ("_at", ("", "2026-01-01", "2035-06-01T10:00:00Z")),
    ("since", ("", "2026-01-01")),
    ("until", ("", "2035-01-01")),
    ("valid_", ("", "2026-01-01", "2035-01-01")),
    ("relationship_type", ("RELATED_TO", "uses", "lives in", "")),
    ("node_type", ("technology", "person", "")),
    ("entity", ("rope-0", "dough-1", "queue-2")),
    ("node_id", ("rope-0", "dough-1", "queue-2")),
    ("title", ("Handbook", "Another")),
    ("path", ("export.jsonl", "backup.db", "notes.md", "missing.txt")),
    ("category", ("knowledge", "preference", "other")),
    ("confirm", ("default", "other", "*", "")),
    ("window", ("1h", "24h", "7d")),
    ("tags", ("one", "two", "three", "four", "five", "six")),
    ("user_id", ("", "", "alice")),
    ("agent_id", ("", "")),
    ("session_id", ("", "s1")),
    ("cursor", ("", "")),
    ("id", ("rope-0", "dough-1", "queue-2", "id00001", "id00002", "id00020", "s1")),
)
_WORDS = ("rope", "a knot in the rope", "dough rises", "What holds a knot?", "knowledge", "high")
_HOSTILE = (
    *("", " ", "\t\r\n", "\0", "a\r\nERROR forged", "\u202egnp.exe", "\ud83d", "\U0001f9f6" * 60),
    *("'; drop table entities; --", '" OR 1=1', "<script>alert(1)</script>", "</memory>", "%s%n"),
    *("../../../etc/passwd", "/dev/zero", "//server/share", "\\\\server\\share", "C:\\x", "~"),
    *("NaN", "null", "true", "[]", '{"a":', "{" * 2000, "[" * 2000, "9999-12-31T23:59:60Z"),
    *("-1", "1e999", "9" * 400, "x" * 301, "word " * 20_000, "e\u0301" * 200, "\ufffe\uffff"),
)
_NUMBERS = (0, 1, -1, 2, 10, 2**31, 2**63, -(2**63), 10**400, 0.5, 1e308, math.inf, math.nan)


@dataclass(frozen=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: dict[str, Any]


@dataclass
class Tally:
    """What came of many calls."""

    calls: int = 0
    answered: int = 0
    refused: int = 0
    problems: list[str] = field(default_factory=list)


@functools.cache
def schemas() -> dict[str, dict[str, Any]]:
    """Return the input schema of every tool that is served."""
    with TemporaryDirectory() as folder:
        memory = open_in(Path(folder))
        try:
            return anyio.run(_list_rows, memory)
        finally:
            memory.close()


def calls() -> st.SearchStrategy[Call]:
    """Return what draws one call of any tool."""
    return st.sampled_from(sorted(schemas())).flatmap(
        lambda tool: st.builds(Call, st.just(tool), _arguments(schemas()[tool]))
    )


def open_in(folder: Path) -> Memory:
    """Open a memory in *folder*; files are read and written there, and ids are counted."""
    numbers = itertools.count(1)
    # Of a file that is opened again, the first numbers are taken.
    start = "id" if not (folder / "memory.db").exists() else "new"
    return open_memory(
        Settings(memory_data_dir=folder, knowledge_roots=(folder,)),
        path=folder / "memory.db",
        embedder=HashingEmbedder(DIMENSION),
        ids=lambda: f"{start}{next(numbers):05}",
    )


@functools.cache
def _prepare_file() -> bytes:
    """Return the file of a memory in which there is something of everything."""
    with TemporaryDirectory() as folder:
        memory = open_in(Path(folder))
        fill(memory, 3)
        memory.sessions.start_session("s1", "a session")
        memory.catch_up()
        memory.close()
        return Path(folder, "memory.db").read_bytes()


def fuzz(count: int, *, seed: int = 0, at_once: int = 20) -> Tally:
    """Make about *count* calls, *at_once* on each memory; return what came of all of them."""
    tally = Tally()

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=max(count // at_once, 1),
        deadline=None,
        database=None,
        # Failures are reported unshrunk; shrinking takes longer than the rest.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(st.lists(calls(), min_size=at_once, max_size=at_once))
    def try_some(asked: list[Call]) -> None:
        make(asked, tally=tally)

    try_some()
    return tally


def make(asked: Sequence[Call], *, tally: Tally) -> None:
    """Make the calls in order on one small memory, and count what came of them."""
    with TemporaryDirectory() as folder:
        Path(folder, "memory.db").write_bytes(_prepare_file())
        memory = open_in(Path(folder))
        try:
            anyio.run(_make_call, memory, asked, tally)
        finally:
            memory.close()


async def _make_call(memory: Memory, asked: Sequence[Call], tally: Tally) -> None:
    async with Client(build_server(memory, memory.settings)) as client:
        for call in asked:
            before = memory.atlas.version()
            try:
                with anyio.fail_after(PATIENCE):
                    answer = await client.call_tool(call.tool, call.arguments)
            except UnicodeEncodeError:
                # The client itself cannot write it down.
                continue
            except TimeoutError:
                tally.problems.append(f"{call}: no answer within {PATIENCE} s")
                continue
            tally.calls += 1
            changed = memory.atlas.version() != before
            tally.refused += bool(answer.is_error)
            tally.answered += not answer.is_error
            tally.problems += [f"{call}: {what}" for what in _wrong(answer, changed=changed)]


def _wrong(answer: CallToolResult, *, changed: bool) -> list[str]:
    """Return what may not be said of any answer, but is of this one."""
    text = "".join(getattr(part, "text", "") for part in answer.content)
    if not answer.is_error:
        return [] if answer.structured_content is not None else ["an answer without content"]
    code = (answer.meta or {}).get("code")
    found = [] if code and code != "BUG" else [f"refused with the code {code}: {text[:300]}"]
    if "Traceback" in text or not text.strip():
        found.append(f"refused without words of its own: {text[:300]}")
    if changed:
        found.append("refused, and something was changed")
    return found


async def _list_rows(memory: Memory) -> dict[str, dict[str, Any]]:
    async with Client(build_server(memory, memory.settings)) as client:
        return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}


def fitting(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return what draws arguments that the schema allows and that mostly name what is there."""
    known = schema.get("properties", {})
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: _value(child, name, tame=True) for name, child in known.items() if name in required},
        optional={
            name: _value(child, name, tame=True)
            for name, child in known.items()
            if name not in required
        },
    )


def _arguments(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw arguments: mostly of the right kind, now and then wrong, missing or unknown."""
    known = schema.get("properties", {})
    required = set(schema.get("required", ()))
    right = st.fixed_dictionaries(
        {name: _value(known[name], name) for name in known if name in required},
        optional={name: _value(known[name], name) for name in known if name not in required},
    )
    fitting = st.fixed_dictionaries(
        {name: _value(known[name], name, tame=True) for name in known if name in required}
    )
    anything = st.dictionaries(
        st.sampled_from([*known, "unknown", "", "__class__"]), _anything(), max_size=4
    )
    wrong = st.builds(lambda good, bad: {**good, **bad}, right, anything)
    return st.one_of(fitting, fitting, right, right, wrong, anything)


def _value(schema: Mapping[str, Any], name: str, *, tame: bool = False) -> st.SearchStrategy[Any]:
    """Draw a value that the schema describes; unless *tame*, what lies just beyond it too."""
    if "enum" in schema:
        return st.sampled_from([*schema["enum"], *(() if tame else ("nothing of these",))])
    kind = schema.get("type")
    if kind == "array":
        least = schema.get("minItems", 0)
        item = _value(schema.get("items", {}), name, tame=tame)
        most = max(least, 5 if name == "tags" else 3)
        return st.lists(
            item, min_size=min(most, 5) if name == "tags" and tame else least, max_size=most
        )
    if kind == "object":
        return _object(schema, tame=tame)
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        return _number(schema, whole=kind == "integer", tame=tame)
    return _text(name, tame=tame) if kind == "string" else _anything()


def _object(schema: Mapping[str, Any], *, tame: bool) -> st.SearchStrategy[Any]:
    named = schema.get("properties", {})
    if named:
        values = {name: _value(child, name, tame=tame) for name, child in named.items()}
        needed = set(schema.get("required", ()))
        return st.fixed_dictionaries(
            {name: value for name, value in values.items() if name in needed},
            optional={name: value for name, value in values.items() if name not in needed},
        )
    return st.dictionaries(_text("", tame=tame), _anything(), max_size=4)


def _number(schema: Mapping[str, Any], *, whole: bool, tame: bool) -> st.SearchStrategy[Any]:
    low, high = schema.get("minimum", 0), schema.get("maximum", 20)
    if tame:
        return st.integers(math.ceil(low), min(int(high), math.ceil(low) + 20))
    near = st.integers(int(low) - 1, int(high) + 1) if high - low < 10**6 else st.integers(-3, 50)
    odd = [number for number in _NUMBERS if not whole or isinstance(number, int)]
    return st.one_of(near, near, st.sampled_from(odd), st.floats() if not whole else near)


def _text(name: str = "", *, tame: bool = False) -> st.SearchStrategy[str]:
    usual = st.sampled_from(next((words for part, words in _FITTING if part in name), _WORDS))
    return usual if tame else st.one_of(usual, usual, st.sampled_from(_HOSTILE), st.text())


def _anything() -> st.SearchStrategy[Any]:
    simple = st.one_of(st.none(), st.booleans(), st.sampled_from(_NUMBERS), _text())
    return st.one_of(
        simple,
        st.lists(simple, max_size=3),
        st.dictionaries(_text(), st.one_of(simple, st.lists(simple, max_size=2)), max_size=3),
        st.just(_deep()),
    )


def _deep() -> Any:
    """Return lists in lists, deeper than any value here may be."""
    value: Any = "the bottom"
    for _ in range(60):
        value = [value]
    return value
