"""A memory of two users and common records, and arguments for every tool that is served on it."""

from __future__ import annotations

import inspect
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from mcp import Client
from support import HandClock, HashingEmbedder

import memory_core
from memory_core import Scope, Settings, open_memory
from memory_core.context import as_one_batch
from memory_core.server.app import build_server

ANN, BEN, NO_USER = "ann-7f3", "ben-91c", ""
PROJECTS = ("harbour", "mill")
SCOPE = ("project_id", "user_id", "agent_id", "session_id")
# Words of every text, so that one query reaches all of them.
TOPIC = "rope of the crane"


@dataclass
class World:
    """
    A filled memory as files, and what is in it.

    Attributes:
        files: Contents by path relative to the data folder.

        own: Ids of each user's records in each project, by what they are.

        common: Ids of records without user in each project, by what they are.

        secrets: The canary words of each user, each in one text of the user and in no argument.

        ids: The ids of each user's rows, and of batches that are wholly the user's.

        numbers: Some change numbers of each user, one of each kind of change.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    own: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    common: dict[str, dict[str, Any]] = field(default_factory=dict)
    secrets: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    ids: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    numbers: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))

    def secret(self, user: str, project: str, kind: str) -> str:
        """Return a word that is in one record only, and note whose it is."""
        word = f"{user[:3] or 'all'}{project}{kind}canary"
        self.secrets[user][word] = f"{kind} of {user or 'no user'} in {project}"
        return word

    def hidden_from(self, *users: str) -> dict[str, str]:
        """Return what must not be in an answer to a call that names these users: text, record."""
        found: dict[str, str] = {}
        for user in {ANN, BEN} - set(users):
            found |= self.secrets[user] | self.ids[user]
        return found

    def foreign(self, *users: str) -> dict[str, Any]:
        """Return ids of everyone else, one of each kind of record in each project."""
        return {
            f"{kind} of {user} in {project}": id
            for (user, project), own in self.own.items()
            if user not in ("", *users)
            for kind, id in own.items()
        }

    def foreign_numbers(self, *users: str) -> dict[str, int]:
        """Return change numbers of everyone else, one of each kind of change."""
        return {
            kind: number
            for user in {ANN, BEN} - set(users)
            for kind, number in self.numbers[user].items()
        }

    @contextmanager
    def opened(self, **settings: Any) -> Iterator[Any]:
        """Open a copy of the memory."""
        with TemporaryDirectory() as folder:
            for name, content in self.files.items():
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
            with opened(Path(folder), "new", **settings) as memory:
                yield memory


@contextmanager
def opened(folder: Path, name: str, **settings: Any) -> Iterator[Any]:
    """Open a memory in *folder* with counted ids, so that examples can be repeated."""
    count, clock = itertools.count(1), _TickingClock()
    # Soon after, so that no background work is due that is no part of a call.
    clock.advance(seconds=0 if name == "row" else 10)
    memory = open_memory(
        Settings(
            memory_data_dir=folder,
            knowledge_roots=(folder,),
            memory_toolsets="all",
            group_k=3,
            **settings,
        ),
        path=folder / "memory.db",
        embedder=HashingEmbedder(),
        clock=clock,
        ids=lambda: f"zq{name}{next(count):05}zq",
    )
    try:
        yield memory
    finally:
        memory.close()


def export_all(memory: Any) -> None:
    """Write the records of every user to a file, as the owner of the memory may."""
    whose = {"user_id": getattr(memory_core, "ALL_USERS", "")}
    known = inspect.signature(memory.interchange.export_project).parameters
    memory.interchange.export_project(
        "everything.jsonl", **{name: user for name, user in whose.items() if name in known}
    )


class _TickingClock(HandClock):
    """A clock in which no two moments are the same."""

    def __call__(self) -> datetime:
        self.advance(milliseconds=1)
        return self.now


class Calls:
    """A client session; arguments that a tool does not have are left out."""

    def __init__(self, client: Client, listed: Mapping[str, Any]) -> None:
        self.client = client
        self.tools = listed

    async def __call__(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        known = self.tools[name].input_schema["properties"]
        given = {key: value for key, value in arguments.items() if key in known}
        answer = await self.client.call_tool(name, given)
        assert not answer.is_error, f"{name} {given}: {answer.content[0].text}"
        return dict(answer.structured_content)


def build() -> World:
    """Fill a memory through its tools and return it."""
    world = World()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "notes.md").write_text(f"A note on the {TOPIC}.")
        with opened(folder, "row") as memory:
            anyio.run(_fill, memory, world)
            _list_rows(memory, world)
            export_all(memory)
            memory.upkeep.create_backup("everything.db")
        world.files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
    return world


async def _fill(memory: Any, world: World) -> None:
    async with Client(build_server(memory, memory.settings)) as client:
        call = Calls(client, {tool.name: tool for tool in (await client.list_tools()).tools})
        for project in PROJECTS:
            for user in (NO_USER, ANN, BEN):
                await _write_records(memory, call, world, user, project)
            await _write_graph(memory, call, world, project)
        memory.catch_up()
        for (user, project), own in world.own.items():
            scope = {"project_id": project, "user_id": user}
            await call("memory_rebuild_groups", threshold=0.1, **scope)
            groups = (await call("memory_list_groups", **scope))["groups"]
            own["group"] = groups[0]["id"]
            await call(
                "recall", query=f"{world.secret(user, project, 'question')} {TOPIC}", **scope
            )
            await call(
                "memory_query", query=f"{world.secret(user, project, 'query')} {TOPIC}", **scope
            )
            first = await call("list_memories", limit=1, **scope)
            own["cursor"] = first["cursor"]


async def _write_records(memory: Any, call: Calls, world: World, user: str, project: str) -> None:
    """Write entries, facts and jobs of a user (or of no user), changed and deleted ones too."""
    scope = {"project_id": project, "user_id": user}

    def text(kind: str) -> str:
        return f"{world.secret(user, project, kind)} holds the {TOPIC}"

    def tags(kind: str) -> list[str]:
        return [world.secret(user, project, kind), "rope", "crane", "steel", "yard"]

    own = world.own[user, project] = {}
    written = await call(
        "memory_write",
        summary=text("entry"),
        tags=tags("tag"),
        category="knowledge",
        context_text=f"{text('context')}. " * 60,
        agent_id=world.secret(user, project, "agent"),
        session_id="evening",
        **scope,
    )
    own |= {"entry": written["id"], "entry_batch": written["batch_id"]}
    own["chunk"] = written["chunk_ids"][0]
    twin = await call(
        "memory_write",
        summary=text("oldentry"),
        tags=tags("twintag"),
        category="knowledge",
        session_id="evening",
        **scope,
    )
    own["twin"] = twin["id"]
    await call("memory_update", id=twin["id"], summary=text("newentry"), **scope)
    await call(
        "memory_write", summary=text("third"), tags=tags("thirdtag"), category="other", **scope
    )
    gone = await call(
        "memory_write", summary=text("gone"), tags=tags("gonetag"), category="other", **scope
    )
    own |= {"gone": gone["id"]}
    own["deletion"] = (await call("memory_delete", id=gone["id"], **scope))["batch_id"]
    facts = {}
    for kind in ("fact", "oldfact", "lostfact"):
        facts[kind] = await call(
            "remember",
            text=text(kind),
            infer=False,
            metadata={"note": world.secret(user, project, f"{kind}note")},
            agent_id="robot",
            session_id="evening",
            **scope,
        )
    ids = {kind: stored["facts"][0]["id"] for kind, stored in facts.items()}
    own |= {**ids, "fact_batch": facts["fact"]["batch_id"]}
    await call("update_fact", id=ids["oldfact"], content=text("newfact"), **scope)
    await call("forget", id=ids["lostfact"], **scope)
    done = await call("memory_extract", text=text("transcript"), **scope)
    await call(
        "memory_extract_submit",
        job_id=done["job_id"],
        facts=[{"content": text("drawn"), "category": "preference"}],
        **scope,
    )
    open_job = await call("memory_extract", text=text("openjob"), **scope)
    own |= {"done_job": done["job_id"], "job": open_job["job_id"]}
    # One operation that touches a common record and one of the user.
    with as_one_batch(f"mixed-{user}-{project}"):
        memory.conversation.add_facts([text("mixed")], Scope(**scope))
        memory.graph.create_entity(f"Mixed {user}", "technology", project_id=project)
    own["mixed"] = f"mixed-{user}-{project}"


async def _write_graph(memory: Any, call: Calls, world: World, project: str) -> None:
    """Write what is common: entities, a document, a bottle, sessions."""
    about = {"project_id": project}
    with as_one_batch(f"common-{project}"):
        memory.graph.create_entity("Davit", "technology", **about)
    for name in ("Crane", "Winch", "Derrick"):
        await call(
            "create_entity",
            name=name,
            node_type="technology",
            id=name.lower(),
            observations=[f"The {name} has the {TOPIC}."],
            **about,
        )
    await call("create_entity", name="Hoist", node_type="technology", id="hoist", **about)
    await call("delete_entity", id="hoist", **about)
    fact = await call("add_observation", entity_id="crane", content="The crane is red.", **about)
    await call(
        "create_relationship",
        from_node_id="crane",
        to_node_id="winch",
        relationship_type="USES",
        **about,
    )
    bottle = await call("create_bottle", message=f"Check the {TOPIC}.", **about)
    await call("add_knowledge", title="Handbook", content=f"On the {TOPIC}.", **about)
    await call("start_session", session_id="evening", name="Evening", **about)
    await call("start_session", session_id="night", name="Night", **about)
    await call("end_session", session_id="night", summary=f"We saw the {TOPIC}.", **about)
    world.common[project] = {
        "observation": fact["observation"]["id"],
        "batch": f"common-{project}",
        "bottle": bottle["bottle"]["id"],
    }


def user_tables(connection: Any) -> list[str]:
    """Return the tables whose rows belong to a user."""
    return [
        row["name"]
        for row in connection.execute(
            "select m.name from sqlite_schema m where m.type = 'table' and exists "
            "(select 1 from pragma_table_info(m.name) where name = 'user_id') order by m.name"
        ).fetchall()
    ]


def rows_of_others(memory: Any, *users: str) -> dict[str, str]:
    """Return every row, and every line of the audit log, of users other than these."""
    kept = {}
    with memory.db.read() as connection:
        for table in user_tables(connection):
            for row in connection.execute(f"select * from {table}").fetchall():
                if row["user_id"] not in ("", *users):
                    kept[_label(table, row)] = json.dumps(row, default=str, sort_keys=True)
        for row in _changes(connection):
            if row["owner"] not in ("", *users):
                kept[f"changes {row['seq']} ({row['kind']} {row['op']})"] = json.dumps(row)
    return kept


def _label(table: str, row: Mapping[str, Any]) -> str:
    key = {name: row[name] for name in ("id", "project_id", "user_id") if name in row}
    return f"{table} {' '.join(map(str, key.values()))}"


def _changes(connection: Any) -> list[dict[str, Any]]:
    """Return the audit log with the user that each row belonged to, deleted rows included."""
    log = connection.execute("select * from changes order by seq").fetchall()
    owner: dict[tuple[str, str], str] = {}
    for row in log:
        state = json.loads(row["state"] or "{}")
        if "user_id" in state:
            owner[row["kind"], row["row_id"]] = state["user_id"]
    return [{**row, "owner": owner.get((row["kind"], row["row_id"]), "")} for row in log]


def _list_rows(memory: Any, world: World) -> None:
    """Note the ids of all rows of a user, and their change numbers."""
    with memory.db.read() as connection:
        for table in user_tables(connection):
            for row in connection.execute(f"select * from {table}").fetchall():
                if row["user_id"] and isinstance(row.get("id"), str):
                    world.ids[row["user_id"]][row["id"]] = f"id of {_label(table, row)}"
        log = _changes(connection)
    owners: dict[str, set[str]] = {}
    for row in log:
        owners.setdefault(row["batch_id"], set()).add(row["owner"])
        if row["owner"]:
            kind = f"{row['op']} {row['kind']} of {row['owner']} in {row['project_id']}"
            world.ids[row["owner"]].setdefault(row["row_id"], f"id of a {kind}")
            world.numbers[row["owner"]][kind] = row["seq"]
    for batch, users in owners.items():
        if len(users) == 1 and "" not in users:
            world.ids[users.pop()][batch] = f"batch {batch}"
