from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client

from benchmarks.faults.fuzzing import fitting, open_in, schemas
from memory_core import Scope
from memory_core.server.app import build_server
from memory_core.storage.history.tracked import TRACKED

PROJECTS = ("harbour", "mill", "default")
USERS = ("", "alice", "bob")
KINDS = ("entity", "document", "entry", "fact", "bottle", "session", "job")
# These are about the file as a whole, and say so: they take no project, or bring rows of any.
OF_THE_WHOLE_FILE = {"restore_backup", "import_memory", "optimize_memory", "memory_health"}


@dataclass(frozen=True)
class Row:
    """Something remembered, with a word in it that stands nowhere else."""

    kind: str
    project: str
    user: str
    mark: str

    def may_be_seen_by(self, project: str, user: str) -> bool:
        return self.project == project and self.user in ("", user)


def rows(draw) -> list[Row]:
    """Draw what is there: some of each kind, in random projects, of random people."""
    drawn = draw(
        st.lists(
            st.tuples(*map(st.sampled_from, (KINDS, PROJECTS, USERS))), min_size=6, max_size=14
        )
    )
    personal = ("entry", "fact", "job")
    return [
        Row(kind, project, user if kind in personal else "", f"zq{number}mark")
        for number, (kind, project, user) in enumerate(drawn)
    ]


def write(memory, row: Row) -> list[str]:
    """Remember the row; return every name by which a caller could ask for it."""
    project, scope = row.project, Scope(project_id=row.project, user_id=row.user)
    said = f"{row.mark} holds the rope of the crane"
    if row.kind == "entity":
        made = memory.graph.create_entity(
            f"{row.mark} crane",
            "technology",
            project_id=project,
            id=f"crane-{row.mark[2:-4]}",
            properties={"about": said},
        ).entity
        fact = memory.observations.add_observation(made.id, said, project_id=project).observation
        return [made.id, fact.id]
    if row.kind == "document":
        return [
            memory.knowledge.add_document(
                f"Paper {row.mark[2:-4]}", said, project_id=project
            ).document.id
        ]
    if row.kind == "entry":
        tags = ["rope", "crane", "holds", "harbour", row.mark]
        return [
            memory.entries.write_entry(
                said, tags, category="knowledge", context_text=said, scope=scope
            ).id
        ]
    if row.kind == "fact":
        return [each.id for each in memory.conversation.add_facts([said], scope).facts]
    if row.kind == "bottle":
        return [memory.bottles.create_bottle(said, project_id=project).bottle.id]
    if row.kind == "job":
        return [memory.conversation.extract_facts(said, scope).job_id]
    memory.sessions.start_session(f"s{row.mark[2:-4]}", said, project_id=project)
    return [f"s{row.mark[2:-4]}"]


def outside(memory, project: str, users: tuple[str, ...]) -> dict[str, str]:
    """Return every row that is not of that project and those persons, as it is stored."""
    kept = {}
    with memory.db.read() as connection:
        for table in (*(tracked.table for tracked in TRACKED), "extraction_jobs"):
            for row in connection.execute(f"select * from {table}").fetchall():
                if row["project_id"] != project or row.get("user_id", "") not in users:
                    kept[f"{table} {row['id']}"] = json.dumps(row, default=str)
    return kept


def calls(draw, project: str, user: str, names: list[str]) -> Iterator[tuple[str, dict]]:
    """Draw a call of every tool about one project and person, with names from anywhere."""
    for tool, schema in sorted(schemas().items()):
        known = schema.get("properties", {})
        if tool in OF_THE_WHOLE_FILE:
            continue
        arguments = draw(fitting(schema))
        for name in arguments:
            if (name.endswith("id") or name in ("ids", "title_or_id", "entity")) and names:
                one = draw(st.sampled_from(names))
                arguments[name] = [one] if known[name].get("type") == "array" else one
        given_scope = {"project_id": project, "user_id": user, "agent_id": "", "session_id": ""}
        arguments |= {
            name: value
            for name, value in given_scope.items()
            if name in known and (name != "session_id" or "user_id" in known)
        }
        if "confirm" in known:
            arguments["confirm"] = project
        for name in ("query", "content", "summary", "text"):
            if name in arguments:
                arguments[name] = "What holds the rope of the crane?"
        yield tool, arguments


@settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_tools_are_isolated_by_project_and_user(data):
    there = rows(data.draw)
    project, user = data.draw(st.sampled_from(PROJECTS)), data.draw(st.sampled_from(USERS))
    with TemporaryDirectory() as folder:
        memory = open_in(Path(folder))
        try:
            names = [name for row in there for name in write(memory, row)]
            memory.catch_up()
            asked = list(calls(data.draw, project, user, names))
            leaks = anyio.run(_leaks, memory, asked, there, (project, user))
        finally:
            memory.close()

    assert [] == leaks, "\n".join(leaks)


async def _leaks(memory, asked, there, of) -> list[str]:
    """Make the calls; return each that showed or changed something it should not have."""
    hidden = [row.mark for row in there if not row.may_be_seen_by(*of)]
    leaks = []
    async with Client(build_server(memory, memory.settings)) as client:
        for tool, arguments in asked:
            users = ("", of[1]) if "user_id" in schemas()[tool]["properties"] else ("",)
            before = outside(memory, of[0], users)
            answer = await client.call_tool(tool, arguments)
            said = json.dumps(answer.structured_content) + answer.content[0].text
            leaks += [
                f"{tool} {arguments} shows {mark}: {said[:400]}" for mark in hidden if mark in said
            ]
            if outside(memory, of[0], users) != before:
                leaks.append(f"{tool} {arguments} changed what was not asked about")
        for prompt in ("qna_with_context", "session_start", "session_end", "review_codebase"):
            leaks += await _prompt_leaks(client, prompt, there, of)
        for uri in (f"memory://bottles/{of[0]}", "memory://health", "memory://ontology"):
            read = await client.read_resource(uri)
            leaks += [f"{uri} shows {mark}" for mark in hidden if mark in str(read)]
    return leaks


async def _prompt_leaks(client, name: str, there: list[Row], of: tuple[str, str]) -> list[str]:
    """Return what a prompt shows that it should not; one that takes no project quotes from all."""
    (prompt,) = [each for each in (await client.list_prompts()).prompts if each.name == name]
    known = {each.name for each in prompt.arguments or ()}
    usual = {"query": "rope of the crane", "project": of[0], "path": ""}
    got = str(await client.get_prompt(name, {each: usual[each] for each in known}))
    hidden = [row for row in there if row.user or ("project" in known and row.project != of[0])]
    return [f"{name} shows {row}: {got}" for row in hidden if row.mark in got]
