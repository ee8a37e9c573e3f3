"""Two users of one memory: neither sees or changes what the other owns, through any tool."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError
from two_users import ANN, BEN, NO_USER, PROJECTS, SCOPE, TOPIC, World, build, rows_of_others

import memory_core.server.tools  # noqa: F401  (fills the table of tools)
from memory_core.server.app import build_server
from memory_core.server.calls.registry import TOOLS, listing

READS = sorted(tool.name for tool in TOOLS if tool.reads)
WRITES = sorted(tool.name for tool in TOOLS if not tool.reads)

# What an argument is given so that a call is answered: a value, or an id by its name in braces.
VALUES: dict[str, Any] = {
    "as_of_iso_timestamp": "2026-06-01",
    "content": f"A sentence on the {TOPIC}.",
    "enabled": False,
    "entity_id": "crane",
    "facts": [{"content": f"The {TOPIC} is new."}],
    "file_path": "{folder}/notes.md",
    "from_node_id": "crane",
    "from_timestamp": "2025-01-01",
    "id": "crane",
    "ids": ["winch"],
    "job_id": "{job}",
    "keep_id": "crane",
    "max_age_days": 0,
    "merge_ids": ["winch"],
    "message": f"Look at the {TOPIC}.",
    "name": "Gantry",
    "node_id": "crane",
    "node_type": "technology",
    "observations": [{"entity_id": "crane", "content": f"It has a {TOPIC}."}],
    "path": "everything.jsonl",
    "query": TOPIC,
    "relationship_type": "USES",
    "session_id": "evening",
    "summary": f"All about the {TOPIC}.",
    "title": "Manual",
    "title_or_id": "Handbook",
    "to_node_id": "winch",
    "to_timestamp": "2027-01-01",
}

# What a tool needs beyond its required arguments, or what differs for it.
OF_A_TOOL: dict[str, dict[str, Any]] = {
    "acknowledge_bottle": {"id": "{bottle}"},
    "backup_memory": {"path": "another.db"},
    "clear_memory": {"confirm": "{project}"},
    "delete_observation": {"id": "{observation}"},
    "export_memory": {"path": "export.jsonl"},
    "forget": {"id": "{fact}"},
    "forget_everything": {"confirm": "{user_or_project}"},
    "memory_delete": {"id": "{entry}"},
    "memory_extract": {"text": f"I like the {TOPIC}."},
    "memory_get": {"id": "{entry}"},
    "memory_get_context": {"timeline_id": "{entry}", "limit": 50},
    "memory_get_group_members": {"group_id": "{group}"},
    "memory_get_groups": {"entry_id": "{entry}"},
    "memory_query": {"query": TOPIC},
    "memory_update": {"id": "{entry}", "summary": f"More on the {TOPIC}."},
    "memory_write": {
        "summary": f"All about the {TOPIC}.",
        "tags": ["one", "two", "three", "four", "five"],
        "category": "knowledge",
    },
    "memory_write_context": {"timeline_id": "{entry}", "context_text": f"More on the {TOPIC}."},
    "purge": {"confirm": "{project}"},
    "remember": {"text": f"I like the {TOPIC}.", "infer": False},
    "restore_backup": {"path": "everything.db", "confirm": "everything.db"},
    "restore_entity": {"id": "hoist"},
    "supersede_observation": {"id": "{observation}"},
    "undo": {"batch_id": "{batch}"},
    "update_fact": {"id": "{fact}"},
    "update_observation": {"id": "{observation}"},
}

# Numbers with which a call shows as much as it may.
WIDE = {
    "context": 5,
    "depth": 3,
    "limit": 100,
    "max_nodes": 100,
    "score_threshold": 0,
    "similarity_threshold": 0,
    "top_k": 50,
}

# Optional arguments that show more of one record.
OPTIONAL = {"entity": "crane", "entity_id": "crane", "job_id": "{job}"}

# Parameters that may name a record; others are given fewer ids.
NAMES_A_RECORD = re.compile(r"ids?$|entity$|cursor$|recipient$|query$")

# Users that are no one's name.
PATTERNS = ("*", "%", "'", "' or 1=1 --", ANN.upper(), f"{ANN[:-1]}_", "all users", "ALL_USERS")


@dataclass(frozen=True)
class Call:
    """A call of a tool, and the user that it names."""

    tool: str
    arguments: dict[str, Any]
    user: str

    def having(self, **arguments: Any) -> Call:
        return replace(self, arguments={**self.arguments, **arguments})


@functools.cache
def world() -> World:
    return build()


@functools.cache
def schema(tool: str) -> dict[str, Any]:
    """Return the parameters of a tool by name, as a client sees them."""
    (found,) = [each for each in TOOLS if each.name == tool]
    return listing(found).parameters


def parameters(tool: str) -> dict[str, Any]:
    return schema(tool)["properties"]


def call(tool: str, user: str, project: str) -> Call:
    """Return a call that is answered, about one project, by a caller who names *user*."""
    known = parameters(tool)
    needed = {name: VALUES.get(name) for name in schema(tool).get("required", ())}
    unknown = [name for name, value in needed.items() if value is None and tool not in OF_A_TOOL]
    assert not unknown, f"{tool}: name a value for {unknown} in VALUES or OF_A_TOOL"
    wide = {name: _clipped(known[name], WIDE[name]) for name in known if name in WIDE}
    arguments = {**wide, **needed, **OF_A_TOOL.get(tool, {})}
    arguments |= {"project_id": project} if "project_id" in known else {}
    arguments |= {"user_id": user} if "user_id" in known and user else {}
    names = _names(user, project)
    filled = {name: _filled(value, names) for name, value in arguments.items()}
    return Call(tool, filled, user if "user_id" in known else NO_USER)


def _names(user: str, project: str) -> dict[str, Any]:
    """Return what stands for the names in braces: what the caller may know."""
    here = project if project in PROJECTS else PROJECTS[0]
    return {
        **world().own[user if user in (ANN, BEN) else NO_USER, here],
        **world().common[here],
        "project": project,
        "user_or_project": user or project,
    }


def _clipped(schema: Mapping[str, Any], number: float) -> float:
    return min(number, schema.get("maximum", number))


def _filled(value: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and (found := re.fullmatch(r"\{(\w+)\}", value)):
        return names[found[1]]
    return value


def variants(tool: str, user: str, project: str) -> Iterator[Call]:
    """Yield a call with its usual choices, and with every other choice."""
    usual = call(tool, user, project)
    for name, known in parameters(tool).items():
        choices = [True, False] if known.get("type") == "boolean" else known.get("enum", ())
        yield from (usual.having(**{name: choice}) for choice in choices)
        if name in OPTIONAL and name not in usual.arguments:
            yield usual.having(**{name: _filled(OPTIONAL[name], _names(user, project))})
    yield usual


def attacks(tool: str, user: str, project: str) -> Iterator[Call]:
    """Yield calls that give every id of another user's records as every argument."""
    usual = call(tool, user, project)
    foreign = {
        kind: id
        for kind, id in world().foreign(user).items()
        # Without a user, the records of one stand for those of all.
        if kind.endswith(project) and (user or f"of {BEN}" in kind)
    }
    for name, known in parameters(tool).items():
        if name in ("project_id", "user_id", "data") or "enum" in known:
            continue
        if known.get("type") == "integer" and "maximum" not in known:
            numbers = world().foreign_numbers(user).values()
            yield from (_without_batch(usual).having(**{name: each}) for each in numbers)
        ids = foreign if NAMES_A_RECORD.search(name) else list(foreign)[:2]
        for id in ids:
            yield from (usual.having(**{name: each}) for each in _as(known, foreign[id]))
    if "data" in parameters(tool):
        for kind, id in foreign.items():
            if kind.startswith(("entry ", "fact ", "group ")):
                yield from _in_old_form(usual, id)


def _without_batch(usual: Call) -> Call:
    """Return the call without the argument that excludes a change number."""
    kept = {name: value for name, value in usual.arguments.items() if name != "batch_id"}
    return replace(usual, arguments=kept)


def _as(known: Mapping[str, Any], id: str) -> Iterator[Any]:
    """Yield the id in the form that the parameter takes; nothing if it takes no text."""
    if known.get("type") == "string":
        yield id
    elif known.get("type") == "array":
        fields = known["items"].get("properties", {})
        yield [dict.fromkeys(fields, id) if fields else id]


def _in_old_form(usual: Call, id: str) -> Iterator[Call]:
    """Yield the call with one JSON text, the scope in it and next to it."""
    scope = {name: value for name, value in usual.arguments.items() if name in SCOPE}
    rest = {name: value for name, value in usual.arguments.items() if name not in SCOPE}
    given = {name: id if name.endswith("id") else value for name, value in rest.items()}
    yield replace(usual, arguments={**scope, "data": json.dumps(given)})
    yield replace(usual, arguments={"data": json.dumps({**scope, **given})})


class Session:
    """A client of an open memory that notes what each call shows and changes."""

    def __init__(self, memory: Any, client: Client, default_user: str = NO_USER) -> None:
        self.memory = memory
        self.client = client
        self.default_user = default_user
        self.problems: dict[str, str] = {}
        self.answered: set[str] = set()
        self.seen: set[str] = set()
        # Words of records that an example has added, by user.
        self.drawn: dict[str, dict[str, str]] = {}
        self._before: dict[str, dict[str, str]] = {}
        # Ids that calls gave may be stored, and then shown: no leak.
        self._given = ""

    async def make(self, made: Call, *, changes: bool) -> None:
        user = made.user or self.default_user
        with_what = json.dumps(made.arguments)
        folder = str(self.memory.settings.memory_data_dir)
        arguments = json.loads(with_what.replace("{folder}", folder))
        answer = await self.client.call_tool(made.tool, arguments)
        if not answer.is_error:
            self.answered.add(made.tool)
        self._given += with_what
        self.check_text(made.tool, with_what, answer.model_dump_json(), user)
        for text in _written(answer.structured_content or {}):
            self.check_text(f"{made.tool} (its file)", with_what, text, user)
        if changes:
            self.check_rows(made.tool, with_what, user)

    def look(self, user: str) -> None:
        """Note the rows of others, unless the last call was made for the same user."""
        if user not in self._before:
            self._before = {user: rows_of_others(self.memory, user)}

    def check_text(self, what: str, with_what: str, text: str, user: str) -> None:
        """Note each word or id in *text* that a caller who names *user* must not see."""
        text, given = text.casefold(), self._given + with_what
        hidden = world().hidden_from(user) | {
            word: record
            for owner, words in self.drawn.items()
            if owner not in ("", user)
            for word, record in words.items()
        }
        for word, record in hidden.items():
            if word in text and word not in given:
                self._note(what, with_what, user, f"shows {record}")
        self.seen |= {kind for word, kind in world().secrets[user].items() if word in text}

    def check_rows(self, what: str, with_what: str, user: str) -> None:
        """Note each row of another user that is not what it was at the last look."""
        after = rows_of_others(self.memory, user)
        before = self._before[user]
        if before != after:
            for label in sorted(before.keys() | after.keys()):
                if before.get(label) != after.get(label):
                    how = _how(label in before, label in after)
                    self._note(what, with_what, user, f"{how} {label}")
        # What one call changed for another user is that call's problem alone.
        self._before = {user: after}

    def _note(self, what: str, with_what: str, user: str, problem: str) -> None:
        """Note the first call that had a problem."""
        by = f"a caller naming {user}" if user else "a caller without user"
        self.problems.setdefault(f"{what}: {by} {problem}", with_what[:300])


def _written(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that a call wrote to files; a backup is a copy of the whole memory."""
    path = Path(str(answer.get("path") or "/nowhere"))
    there = {Path(name).name for name in world().files}
    for file in (path, *path.rglob("*")):
        if file.is_file() and file.name not in there:
            content = file.read_bytes()
            yield "" if content.startswith(b"SQLite") else content.decode()


def _how(was: bool, is_now: bool) -> str:
    return "changed" if was and is_now else "removed" if was else "added"


def run(*calls: Call, changes: bool, default_user: str = NO_USER, **settings: Any) -> Session:
    """Make the calls on one copy of the memory."""
    with world().opened(**settings) as memory:

        async def made() -> Session:
            async with Client(build_server(memory, memory.settings)) as client:
                session = Session(memory, client, default_user)
                for each in calls:
                    if changes:
                        session.look(each.user or default_user)
                    await session.make(each, changes=changes)
                if not changes:
                    await _read_all_else(session)
                return session

        return anyio.run(made)


async def _read_all_else(session: Session) -> None:
    """Read every resource and prompt, which name no user."""
    user = session.default_user
    foreign = [NO_USER, *PROJECTS, "*", "%", "crane", *world().foreign(user).values()]
    for uri in await _addresses(session.client, foreign):
        try:
            text = (await session.client.read_resource(uri)).model_dump_json()
        except MCPError as error:
            text = str(error)
        session.check_text("resource", uri, text, user)
    for prompt in (await session.client.list_prompts()).prompts:
        for value in (TOPIC, *foreign):
            given = {each.name: value for each in prompt.arguments or ()}
            try:
                text = (await session.client.get_prompt(prompt.name, given)).model_dump_json()
            except MCPError as error:
                text = str(error)
            session.check_text(f"prompt {prompt.name}", json.dumps(given), text, user)


async def _addresses(client: Client, values: list[str]) -> list[str]:
    """Return the address of every resource, templates filled with each value."""
    found = [str(each.uri) for each in (await client.list_resources()).resources]
    for template in (await client.list_resource_templates()).resource_templates:
        for value in values:
            if value not in ("", "%"):
                project = re.sub(r"\{project\}", PROJECTS[0], template.uri_template)
                found += [
                    re.sub(r"\{\w+\}", value, project),
                    re.sub(r"\{\w+\}", value, template.uri_template),
                ]
    return sorted(set(found))


def report(problems: Mapping[str, str]) -> str:
    lines = [f"{problem}, with {given}" for problem, given in sorted(problems.items())]
    return "\n".join([f"{len(lines)} leaks:", *lines])


def test_the_client_is_served_every_tool_of_the_table():
    with world().opened() as memory:

        async def names() -> set[str]:
            async with Client(build_server(memory, memory.settings)) as client:
                return {tool.name for tool in (await client.list_tools()).tools}

        assert set(READS + WRITES) == anyio.run(names)


def _users(tool: str) -> tuple[str, ...]:
    return (NO_USER, ANN) if "user_id" in parameters(tool) else (NO_USER,)


def test_no_read_shows_the_records_of_another_user():
    calls = [
        each
        for tool in READS
        for user in (*_users(tool), BEN)
        for project in (*PROJECTS, "*")
        for each in variants(tool, user, project)
    ]

    session = run(*calls, changes=False)

    assert not session.problems, report(session.problems)
    assert set(READS) == session.answered


def test_user_patterns_do_not_match_records():
    calls = [
        each
        for tool in READS
        if "user_id" in parameters(tool)
        for user in PATTERNS
        for project in (PROJECTS[0], "*")
        for each in [call(tool, user, project)]
    ]

    session = run(*calls, changes=False)

    assert not session.problems, report(session.problems)


def test_no_read_shows_a_record_for_the_id_of_another_users_record():
    calls = [
        each for tool in READS for user in _users(tool) for each in attacks(tool, user, PROJECTS[0])
    ]

    session = run(*calls, changes=False)

    assert not session.problems, report(session.problems)


@pytest.mark.parametrize("tool", WRITES)
def test_no_write_shows_or_changes_the_records_of_another_user(tool):
    problems: dict[str, str] = {}
    answered: set[str] = set()
    for user in _users(tool):
        session = run(
            *attacks(tool, user, PROJECTS[0]), *variants(tool, user, PROJECTS[0]), changes=True
        )
        problems |= session.problems
        answered |= session.answered

    assert not problems, report(problems)
    # A restore is refused while either file has records of another user.
    assert {tool} - {"restore_backup"} == answered


def test_a_default_user_counts_as_named():
    """MEMORY_USER: the calls name no user, or name the other one."""
    calls = [
        each
        for tool in READS
        for user in (NO_USER, *(() if "user_id" not in parameters(tool) else (BEN,)))
        for each in variants(tool, user, PROJECTS[0])
    ]

    session = run(*calls, changes=False, default_user=ANN, memory_user=ANN)

    assert not session.problems, report(session.problems)
    assert {f"{kind} of {ANN} in {PROJECTS[0]}" for kind in ("fact", "entry")} <= session.seen


def test_a_default_user_changes_no_records_of_another_user():
    calls = [
        each
        for tool in WRITES
        if "user_id" in parameters(tool)
        for each in attacks(tool, NO_USER, PROJECTS[0])
    ]

    session = run(*calls, changes=True, default_user=ANN, memory_user=ANN)

    assert not session.problems, report(session.problems)


def test_a_user_sees_records_of_every_kind_of_their_own():
    """Else nothing that is hidden in these tests would prove anything."""
    calls = [each for tool in READS for each in variants(tool, ANN, PROJECTS[0])]

    session = run(*calls, changes=False)

    kinds = ("entry", "tag", "context", "agent", "fact", "newfact", "factnote", "drawn", "mixed")
    assert {f"{kind} of {ANN} in {PROJECTS[0]}" for kind in (*kinds, "openjob")} <= session.seen


def test_erased_users_remain_only_in_reported_files():
    reads = [
        each
        for tool in READS
        for user in (*_users(tool), BEN)
        for project in (*PROJECTS, "*")
        for each in variants(tool, user, project)
    ]
    words = world().secrets[BEN]
    with world().opened() as memory:

        async def erased() -> tuple[bool, dict[str, str]]:
            async with Client(build_server(memory, memory.settings)) as client:
                reported = [await _forget(client, project) for project in PROJECTS]
                shown: dict[str, str] = {}
                for each in reads:
                    answer = await client.call_tool(each.tool, each.arguments)
                    text = answer.model_dump_json().casefold()
                    shown |= {
                        f"{each.tool} shows {record}": json.dumps(each.arguments)[:300]
                        for word, record in words.items()
                        if word in text
                    }
                return all(reported), shown

        reported, shown = anyio.run(erased)
        while_open = _files_with(memory.db.path, words)
    after_closing = _files_with(memory.db.path, words) if memory.db.path.exists() else {}

    remains = shown | while_open | after_closing
    assert reported or not remains, report(remains)


async def _forget(client: Client, project: str) -> bool:
    """Erase a user in a project; return whether the answer reports that something is left."""
    answer = await client.call_tool(
        "forget_everything", {"confirm": BEN, "user_id": BEN, "project_id": project}
    )
    assert not answer.is_error, answer
    return bool((answer.structured_content or {}).get("left"))


def _files_with(path: Path, words: Mapping[str, str]) -> dict[str, str]:
    """Return which of the words are in the database's files, without the ends that stems lack."""
    return {
        f"{file.name} holds {record}": word
        for file in path.parent.glob(f"{path.name}*")
        for content in [file.read_bytes()]
        for word, record in words.items()
        if word[:-1].encode() in content
    }


@st.composite
def drawn_calls(draw: st.DrawFn) -> Call:
    """Draw a call of any tool: any user and project, ids of anyone as any argument."""
    tool = draw(st.sampled_from(READS + WRITES))
    user = draw(st.sampled_from((NO_USER, ANN, BEN, *PATTERNS)))
    project = draw(st.sampled_from((*PROJECTS, "*", "", "%", "'", "' or 1=1 --", "default")))
    usual = call(tool, user, project)
    ids = [*world().foreign(user).values(), TOPIC, "", "*", "%", "'", "' or 1=1 --"]
    numbers = [*world().foreign_numbers(user).values(), 0, 1]
    for name, known in parameters(tool).items():
        if name in ("project_id", "user_id", "data", "enabled") or draw(st.integers(0, 2)):
            continue
        if known.get("type") == "boolean" or "enum" in known:
            value = draw(st.sampled_from(known.get("enum", (True, False))))
        elif known.get("type") == "integer":
            value = _clipped(known, draw(st.sampled_from(numbers)))
        else:
            value = next(_as(known, draw(st.sampled_from(ids))), None)
        usual = usual if value is None else usual.having(**{name: value})
    return usual


@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(
    texts=st.lists(st.text(max_size=40), min_size=2, max_size=2),
    made=st.lists(drawn_calls(), min_size=15, max_size=15),
)
def test_call_sequences_never_cross_users(texts, made):
    with world().opened() as memory:

        async def problems() -> dict[str, str]:
            async with Client(build_server(memory, memory.settings)) as client:
                session = Session(memory, client)
                for user, text in zip((ANN, BEN), texts, strict=True):
                    for project in PROJECTS:
                        word = f"{user[:3]}{project}drawncanary"
                        session.drawn.setdefault(user, {})[word] = f"a drawn fact of {user}"
                        scope = {"user_id": user, "project_id": project}
                        said = {"text": f"{word} {text} {TOPIC}", "infer": False}
                        await client.call_tool("remember", {**said, **scope})
                for each in made:
                    session.look(each.user)
                    await session.make(each, changes=True)
                return session.problems

        found = anyio.run(problems)

    assert not found, report(found)
