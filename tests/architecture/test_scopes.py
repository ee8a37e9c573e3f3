"""Every statement over records that may belong to a user is limited to a scope, or listed here."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from architecture.source import CORE, tree_of

from memory_core.server import tools as tools
from memory_core.server.calls.registry import TOOLS
from memory_core.storage import scoping
from memory_core.storage.database import Database

STORAGE = CORE / "storage"
# Rows of these tables have a user, or belong to rows that have one.
TABLES = (
    "change_log",
    "change_states",
    "recorded_states",
    "changes",
    "context_chunks",
    "entries",
    "entry_tags",
    "extraction_jobs",
    "group_builds",
    "group_members",
    "groups",
    "searchables",
)
# A table whose name is filled in may be one of them.
READS = re.compile(
    rf"\b(?:from|join|update)\s+(?:(?:{'|'.join(TABLES)})\b|\{{(?:\}}|table\}}|tracked\.table\}}))"
)
SCOPED = re.compile(r"user_id'?(?:\s+(?:=|in|not in)\s+\(?)[^;]*:user_id|:user_id is null|\{seen\}")

FOUND = "reads or changes rows by ids that were found in the scope of the call"
GRAPH = "reads the history of entities, observations and relations, which have no user"
NUMBERS = "returns numbers and times of changes, and nothing of a record"
WHOLE = "looks after the file as a whole: no content is returned, none is changed"
BACKGROUND = "work in the background, record by record, each in its own scope"
OWNER = "for pages of the owner of the file; no tool reaches it"
DERIVED = "keeps derived tables in line with their rows; returns nothing"
ERASES = "erases rows that were found in the scope of the call"
FRAGMENT = "a part of statements that are limited"

ALLOWED = {
    "entries.entries._COLUMNS": FRAGMENT,
    "entries.entries._BY_*": FOUND,
    "entries.entries._REWRITE": FOUND,
    "entries.entries._DELETE": FOUND,
    "entries.entries._CHUNK*": FOUND,
    "entries.entries._NEXT_POSITION": FOUND,
    "entries.entries._MOVE_CHUNKS": FOUND,
    "entries.entries._EXPIRED": BACKGROUND,
    "entries.entries._NEWEST_EXPIRY": NUMBERS,
    "entries.entries._FORGET_TAGS": DERIVED,
    "entries.entries._TAG_ALL": DERIVED,
    "entries.entries._SCOPES": BACKGROUND,
    "entries.extraction_jobs._[CDEFP]*": BACKGROUND,
    "entries.fact_review._HOLDERS": OWNER,
    "entries.facts._BY_*": FOUND,
    "entries.facts._REWRITE": FOUND,
    "entries.facts._DELETE": FOUND,
    "entries.facts._SCOPES": BACKGROUND,
    "entries.facts._MARKED": BACKGROUND,
    "entries.facts._UNSEEN": "returns only whether there are facts of users, or of none",
    "entries.groups._OF_ENTRIES": FOUND,
    "entries.groups._FORGET*": FOUND,
    "entries.groups._JOIN": FOUND,
    "entries.groups._STALE": BACKGROUND,
    "entries.merged_vectors.*": DERIVED,
    "files.backups.*": WHOLE,
    "files.compaction.*": WHOLE,
    "files.inspection.*": WHOLE,
    "files.foreign_sqlite.*": "reads another file; what comes in is limited by the importer",
    "graph.bulk_edit.*": OWNER,
    "graph.concepts._IS_EDITED": GRAPH,
    "graph.entities._GONE": GRAPH,
    "graph.entity_vectors.*": GRAPH,
    "graph.graph_metrics._PROJECTS": OWNER,
    "graph.graph_view.*": OWNER,
    "documents._UNFINISHED": GRAPH,
    "graph.lifecycle.*": GRAPH,
    "graph.session_rows.*": "neighbours in a session, whose key holds the project and the user",
    "history.as_of.*": GRAPH,
    "history.audit_log._RECENT*": OWNER,
    "history.audit_log._CHANGE": FOUND,
    "history.audit_log.*": NUMBERS,
    "history.purge._KEYED": GRAPH,
    "history.purge._HANGING": "follows rows of the scope to what belongs to them, of the same user",
    "history.purge._FORGET_*": ERASES,
    "history.purge._OF_ROW": FRAGMENT,
    "history.purge.erase()": ERASES,
    "history.purge.finish_project()": "limited by _within(), which is USER_SEEN",
    "history.purge.living()": OWNER,
    "history.states.*": WHOLE,
    "history.tables.*": FOUND,
    "history.trimming.*": WHOLE,
    "history.timeline._TYPE": FRAGMENT,
    "history.timeline._ABOUT": FRAGMENT,
    "history.timeline._COLUMNS": FRAGMENT,
    "history.timeline._EARLIER": FOUND,
    "history.timeline._ACTORS": OWNER,
    "history.tracked.*": DERIVED,
    "history.undo.*": FOUND,
    "job_runs.*": NUMBERS,
    "rebuild.*": DERIVED,
    "search.embeddings.*": DERIVED,
    "graph.entity_names._NAMES_OF": DERIVED,
    "search.exact_matches.*": "returns row numbers, of which the search keeps the allowed",
    "search.full_text.*": DERIVED,
    "search.hits.*": FOUND,
    "search.mirrors.*": BACKGROUND,
    "search.search_documents.*": BACKGROUND,
    "search.search_filter._ALLOWED": "limited by Filter.rules()",
    "search.search_filter._*": FRAGMENT,
    "search.vector_log._STANDING": NUMBERS,
}


def statements(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every string of a module that may be SQL, by the name of its constant or function."""
    home = ".".join(path.relative_to(STORAGE).with_suffix("").parts)
    module = importlib.import_module(f"memory_core.storage.{home}")
    for name, value in vars(module).items():
        if isinstance(value, str) and name.strip("_") and name.upper() == name:
            yield f"{home}.{name}", value
    for function in ast.walk(tree_of(path)):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.JoinedStr):
                    parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
                    yield f"{home}.{function.name}()", "".join(map(str, parts))


def unscoped() -> set[str]:
    """Return the names of statements over records of users that name no user."""
    return {
        name
        for path in sorted(STORAGE.rglob("*.py"))
        if path.stem not in ("__init__", "scoping")
        for name, statement in statements(path)
        if READS.search(statement) and not SCOPED.search(statement)
    }


def test_every_statement_over_records_of_users_is_scoped_or_listed():
    stray = [name for name in unscoped() if not any(fnmatchcase(name, each) for each in ALLOWED)]

    assert [] == sorted(stray)


def test_every_listed_exception_is_still_needed():
    names = unscoped()

    assert [] == [each for each in ALLOWED if not any(fnmatchcase(name, each) for name in names)]


def test_the_tables_with_a_user_are_known(tmp_path):
    database = Database(tmp_path / "memory.db")
    with database.read() as connection:
        tables = connection.execute(
            "select m.name from sqlite_schema m where m.type = 'table' and exists "
            "(select 1 from pragma_table_info(m.name) where name = 'user_id')"
        ).fetchall()
    database.close()
    with_user = {row["name"] for row in tables}

    assert with_user <= set(TABLES)
    assert {"entries", "context_chunks"} == set(scoping.OWNED) <= with_user


@pytest.mark.parametrize("name", ["ALL_USERS", "EVERYTHING", "Whose", "fact_review"])
def test_no_tool_resource_or_prompt_can_name_all_users(name):
    strays = [
        str(path.relative_to(CORE))
        for path in sorted((CORE / "server").rglob("*.py"))
        if re.search(rf"\b{name}\b", path.read_text(encoding="utf-8"))
    ]

    assert [] == strays


def test_tools_of_records_with_a_user_take_the_user():
    """
    A call of one of these services from a tool passes on the user that the call names.
    """
    whole = re.compile(
        r"memory\.(?:timelines\.events|undo\.undo|upkeep\.(?:clear|purge|restore_backup)|search\.search"
        r"|interchange\.\w+|sessions\.end|overview\.projects|conversation\.\w+|entr\w+\.\w+|groups\.\w+)\("
    )
    strays = []
    for path in sorted((CORE / "server").rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and whole.match(ast.unparse(node)):
                said = ast.unparse(node)
                if "user_id" not in said and "scope" not in said:
                    strays.append(f"{path.name}: {said[:80]}")

    assert [] == strays
    assert TOOLS
