"""Regenerate ids that were derived from a secret, from the redacted name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...rules.graph.identity import is_generated_id, make_id
from ...rules.secrets import has_secret
from ...rules.text.normalization import fold_name
from ...storage.database import Database
from ...storage.graph import entities

Row = dict[str, Any]


class CleanKeys:
    """
    Gives the rows of one file keys that tell no secret, and the same wherever a key is named.

    An id is made of a name in small letters, so a key in it may have lost the mark by which
    it is known; the name has not.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        # By project and former key, the new one; by project and folded key, whose it is.
        self._renamed: dict[tuple[str, str], str] = {}
        self._given: dict[tuple[str, str], str] = {}

    def clean_row(self, table: str, given: Row, clean: Row) -> Row:
        """Return the *clean* form of a row that was *given*, with keys that are clean as well."""
        project = str(given.get("project_id", ""))
        if table == "entities":
            return self._entity(project, given, clean)
        new = self._renamed.get((project, str(given.get("session_id", ""))))
        return {**clean, "session_id": new} if new else clean

    def _entity(self, project: str, given: Row, clean: Row) -> Row:
        key, name = given.get("key"), clean.get("name")
        if not isinstance(key, str) or not isinstance(name, str) or not _tells(key, given):
            return clean
        whose = str(given.get("id", ""))

        def is_taken(id: str) -> bool:
            return self._owner(project, id) not in ("", whose)

        new = make_id(name, is_taken)
        self._given[project, fold_name(new)] = whose
        self._renamed[project, key] = new
        return {**clean, "key": new}

    def _owner(self, project: str, key: str) -> str:
        """Return the row that has a key, here or in what came before; "" if it is free."""
        if owner := self._given.get((project, fold_name(key))):
            return owner
        with self._db.read() as connection:
            found = entities.find(connection, project, key)
        return found.row_id if found else ""


def _tells(key: str, row: Row) -> bool:
    """Return whether a key holds a secret, by itself or by the name that it was made from."""
    return has_secret(key) or any(
        has_secret(name) and is_generated_id(key, name) for name in _names(row)
    )


def _names(row: Row) -> Iterator[str]:
    aliases: object = []
    with suppress(ValueError, TypeError, RecursionError):
        aliases = json.loads(row.get("aliases") or "[]")
    for name in (row.get("name"), *(aliases if isinstance(aliases, list) else ())):
        if isinstance(name, str):
            yield name
