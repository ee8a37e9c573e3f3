"""Everything that stores or logs text is declared as redacted, or as exempt with a reason."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import logging
import re

import pytest
from architecture.source import CORE, ROOT, core_modules, imports, product_modules, tree_of

from memory_core.server.logs import OneLine
from memory_core.storage.database import Database
from memory_core.storage.history.tables import Tables
from memory_core.storage.redaction import COLUMNS, REASONS, exempt_parameters
from memory_core.storage.traces import TraceRow

KEY = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT_TYPES = {"TEXT", "JSON", ""}
# FTS5 and SQLite keep these themselves.
INTERNAL = re.compile(r"piece_terms_\w+|sqlite_\w+")

# The modules that look for secrets, and what each does with them.
SCANNERS = {
    "memory_core/storage/redaction.py": "redacts what is stored",
    "memory_core/server/logs.py": "redacts every log line",
    "memory_core/services/import_export/clean_keys.py": "asks whether a key needs a new name",
    "memory_core/services/import_export/clean_paths.py": "asks whether a path needs a new name",
    "memory_core/log_redaction.py": "log records of the dashboard",
}
# Where log lines get a handler. A library leaves its handlers to the program that uses it.
HANDLERS = {"memory_core/server/logs.py"}
HANDLER = re.compile(r"basicConfig|addHandler|\w*Handler|lastResort")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    opened = Database(tmp_path_factory.mktemp("schema") / "memory.db")
    yield opened
    opened.close()


def text_columns(connection):
    rows = connection.execute("select name from sqlite_schema where type = 'table'").fetchall()
    for table in (row["name"] for row in rows if not INTERNAL.fullmatch(row["name"])):
        columns = connection.execute(f"pragma table_info({table})")
        yield table, {row["name"] for row in columns if row["type"] in TEXT_TYPES}


def test_every_text_column_is_declared_once(database):
    with database.read() as connection:
        schema = dict(text_columns(connection))

    declared = {name: {*each.redacted, *each.exempt} for name, each in COLUMNS.items()}
    assert schema == declared
    assert not [name for name, each in COLUMNS.items() if each.redacted & each.exempt.keys()]
    assert {reason for each in COLUMNS.values() for reason in each.exempt.values()} <= {
        *REASONS.values()
    }


def writes(database):
    """Yield each insert and update of the storage layer, also the ones that undo makes."""
    for path in sorted((CORE / "storage").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for value in vars(importlib.import_module(name.removesuffix(".__init__"))).values():
            if isinstance(value, str) and re.match(r"\s*(insert|update)\s", value):
                yield value
    with database.read() as connection:
        tables = Tables(connection)
        for kind in tables.columns:
            yield from (tables.insertion(kind), tables.rewriting(kind))


def items(text):
    """Split a list of SQL expressions at the commas outside parentheses, up to its end."""
    depth, found = 0, [""]
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return found


def values_written(statement):
    """Yield the columns of an insert or update, each with the names of its parameters."""
    inserted = re.search(
        r"into\s+\w+\s*\(([^)]*)\)\s*(?:values\s*\(|select\s)(.*)", statement, re.S
    )
    if inserted:
        for column, value in zip(inserted[1].split(","), items(inserted[2]), strict=False):
            yield column.strip(), re.findall(r":(\w+)", value)
    for column, value in re.findall(r"\b(\w+)\s*=\s*([^,\n]*:\w+[^,\n]*)", statement):
        yield column, re.findall(r":(\w+)", value)


def test_every_write_binds_redacted_columns_to_scanned_parameters(database):
    unscanned = []
    for statement in writes(database):
        table = re.search(r"(?:into|update(?: or \w+)?)\s+(\w+|{\w+})", statement)[1]
        redacted = COLUMNS[table].redacted if table in COLUMNS else set()
        exempt = exempt_parameters(statement)
        for column, parameters in values_written(statement.partition("where")[0]):
            if column in redacted and (exempt is None or exempt & {*parameters}):
                unscanned.append((table, column, parameters))

    assert not unscanned


def test_a_statement_with_an_unknown_target_is_scanned_completely():
    assert frozenset() == exempt_parameters("insert into other (id) values (:id)")
    assert frozenset() == exempt_parameters("with a as (select 1) update other set id = :id")
    assert exempt_parameters("select * from entities where name = :name") is None


def test_traces_have_no_field_without_a_declared_column():
    declared = COLUMNS["traces"].redacted | COLUMNS["traces"].exempt.keys()
    texts = {each.name for each in dataclasses.fields(TraceRow) if "str" in str(each.type)}

    assert texts <= declared


def test_secrets_are_searched_for_by_declared_modules_only():
    found = {
        path.relative_to(ROOT).as_posix()
        for path in product_modules()
        if any(name.startswith("memory_core.rules.secrets.") for name in imports(path))
    }

    assert SCANNERS.keys() == found


def test_log_handlers_are_made_where_lines_are_redacted():
    found = {
        path.relative_to(ROOT).as_posix()
        for path in core_modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and HANDLER.fullmatch(node.attr)
        if isinstance(node.value, ast.Name | ast.Attribute) and "logging" in ast.unparse(node.value)
    }

    assert HANDLERS == found


def test_a_log_line_is_written_without_its_secrets():
    record = logging.LogRecord("n", logging.INFO, "f.py", 1, "Refused: %s", (KEY,), None)

    assert "Refused: [redacted: GitHub token]" == OneLine("%(message)s").format(record)
