"""Saved searches. They are user preferences, not memory contents."""

from __future__ import annotations

from pydantic import ValidationError as PydanticValidationError

from ...errors import NotFoundError, ValidationError
from ...model.search.saved_search import SavedSearch
from ...rules import limits
from ...storage import stored_settings
from ...storage.database import Database

MOST = 200
_CHOICE = "saved_search:"


class SavedSearches:
    """Saved searches of each project, by name."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def list_searches(self, project_id: str = "*") -> list[SavedSearch]:
        """Return the saved searches of a project by name; "*" has a list of its own."""
        limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            stored = stored_settings.stored_choices(connection, _CHOICE)
        read = [search for value in stored.values() if (search := _parse_saved(value)) is not None]
        mine = [search for search in read if search.project_id == project_id]
        return sorted(mine, key=lambda search: search.name.casefold())

    def save_search(self, search: SavedSearch) -> SavedSearch:
        """Save a search; one of the same name in the same project is replaced."""
        search = search.model_copy(
            update={
                "name": limits.validate_name("name", search.name),
                "query": limits.validate_text("query", search.query),
                "project_id": limits.validate_project(search.project_id, all_allowed=True),
            }
        )
        known = {each.name for each in self.list_searches(search.project_id)}
        if search.name not in known and len(known) >= MOST:
            raise ValidationError(
                f"{MOST} searches are saved already. Delete one that is no longer needed."
            )
        with self._db.note() as connection:
            stored_settings.choose(
                connection,
                _key(search.project_id, search.name),
                value=search.model_dump_json(),
                now=self._db.clock(),
            )
        return search

    def delete_search(self, name: str, *, project_id: str) -> None:
        """Delete a saved search; raise NotFoundError if there is none of that name."""
        with self._db.note() as connection:
            if not stored_settings.forget(connection, _key(project_id, name)):
                raise NotFoundError("saved search", name, "The page Search lists those there are.")


def _key(project_id: str, name: str) -> str:
    return f"{_CHOICE}{project_id}:{name}"


def _parse_saved(value: stored_settings.Choice) -> SavedSearch | None:
    """Return a saved search; None if its format is unknown to this version."""
    try:
        return SavedSearch.model_validate_json(str(value))
    except PydanticValidationError:
        return None
