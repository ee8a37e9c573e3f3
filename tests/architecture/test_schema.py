"""The queries against the schema they are for."""

from __future__ import annotations

import importlib
import re

import pytest
from architecture.source import CORE

from memory_core.storage.database import Database
from memory_core.storage.search.vector_log import ENTRIES, PIECES

# A whole statement; pieces of one are tested where they are put together.
STATEMENT = re.compile(r"\n(with|select|insert|update|delete)\s")
# Of a database of its own, whose tests run each of its queries.
ELSEWHERE = {"vector_table"}
# One statement for several sets of tables: it is to fit each.
SETS_OF_TABLES = {"vector_log": [PIECES, ENTRIES]}
PARAMETER = re.compile(r"(?<!:):([a-z_]+)")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """One migrated file for all of them: nothing is written."""
    opened = Database(tmp_path_factory.mktemp("schema") / "memory.db")
    yield opened
    opened.close()


def queries():
    for path in sorted((CORE / "storage").rglob("*.py")):
        if path.stem in ELSEWHERE:
            continue
        name = ".".join(path.relative_to(CORE.parent).with_suffix("").parts)
        module = importlib.import_module(name.removesuffix(".__init__"))
        for name, value in vars(module).items():
            if isinstance(value, str) and name.isupper() and STATEMENT.match(value):
                for query in finished(path.stem, value):
                    yield pytest.param(query, id=f"{path.stem}.{name}")


def finished(module, query):
    if module not in SETS_OF_TABLES:
        return [query]
    return [query.format_map(vars(tables)) for tables in SETS_OF_TABLES[module]]


@pytest.mark.parametrize("query", list(queries()))
def test_every_query_fits_the_schema(database, query):
    names = set(PARAMETER.findall(query))
    with database.read() as connection:
        plan = connection.execute("explain " + query, dict.fromkeys(names)).fetchall()

    assert plan


# Queries that a large memory asks all the time, and the index that makes them quick.
HOT = {
    "history.audit_log._SEQ_AT": "PRIMARY KEY",
    "search.full_text._CHANGED": "searchables_by_seq",
    "history.audit_log._VERSION": "change_log_by_row",
    "history.audit_log._RECENT": "change_log_by_project",
    "graph.entities._BY_KEY": "sqlite_autoindex_entities",
    "graph.entities._BY_NAME": "entity_names_by_name",
    "graph.observations._IDENTICAL": "observations_by_digest",
    "graph.relations._EDGES": "relations_by_target",
}


@pytest.mark.parametrize("name", sorted(HOT))
def test_a_hot_query_uses_its_index(database, name):
    module, _, constant = name.rpartition(".")
    query = getattr(importlib.import_module(f"memory_core.storage.{module}"), constant)
    bound = dict.fromkeys(PARAMETER.findall(query))
    with database.read() as connection:
        rows = connection.execute("explain query plan " + query, bound).fetchall()
    plan = [row["detail"] for row in rows]

    assert any(HOT[name] in step for step in plan), plan
    tables = (
        "change_log",
        "change_transactions",
        "terms",
        "searchables",
        "entities",
        "observations",
        "relations",
    )
    assert not [step for step in plan if step in [f"SCAN {table}" for table in tables]]
