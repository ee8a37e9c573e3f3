"""Groups of entries: rebuilt from the merged vectors, with stable ids."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ...clock import format_timestamp
from ...context import report_progress
from ...errors import NotFoundError, ValidationError
from ...ids import IdSource
from ...model.facts.groups import (
    EntryGroups,
    Group,
    GroupList,
    GroupMap,
    GroupMembers,
    RebuiltGroups,
)
from ...model.scope import Scope
from ...rules import limits
from ...rules.facts.entry_settings import parse_setting
from ...rules.graph.cliques import Communities, communities, match_groups
from ...search.embedder import LazyEmbedder
from ...search.embedding_worker import EmbeddingWorker
from ...search.similarity_graph import percentile, similar_vectors
from ...settings.entries import EntryDefaults
from ...storage.database import Database
from ...storage.entries import entries as entry_rows
from ...storage.entries import groups as rows
from ...storage.entries import merged_vectors
from ..embed_pending import catch_up
from ..scopes import validate_scope
from .group_map import build_map
from .settings import EntrySettings

# Limits of one rebuild: cliques, edges and seconds.
MOST_CLIQUES = 5_000_000
MOST_SECONDS = 45.0

_LABEL_TAGS = 3


class Groups:
    """Overlapping communities of entries, separate for each project and user."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        settings: EntrySettings,
        *,
        embedder: LazyEmbedder,
        follower: EmbeddingWorker,
        most_cliques: int = MOST_CLIQUES,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        self._db = db
        self._ids = ids
        self._settings = settings
        self._embedder = embedder
        self._follower = follower
        self._most_cliques = most_cliques
        self._most_seconds = most_seconds

    def rebuild_groups(self, threshold: float = -1, *, scope: Scope | None = None) -> RebuiltGroups:
        """Rebuild the groups of a project and user; -1 uses the configured threshold."""
        scope = _whole(validate_scope(scope))
        if threshold != -1 and not 0 <= threshold <= 1:
            raise ValidationError(f"threshold must lie between 0 and 1, or be -1, not {threshold}.")
        started = time.monotonic()
        catch_up(self._embedder, self._follower)
        with self._db.read() as connection:
            now = format_timestamp(self._db.clock())
            seq = rows.newest(connection, scope)
            there = merged_vectors.of_scope(connection, **_of(scope), now=now)
        least = self._threshold(there, threshold)
        k = self._settings.whole("group_k")
        found, nearest = self._communities(there, least=least, k=k, started=started)
        build = rows.Build(
            built_at=now,
            seq=seq,
            entries=len(there.ids),
            k=k,
            threshold=round(least, 6),
            cliques=found.cliques,
            partial=found.partial,
            milliseconds=round((time.monotonic() - started) * 1000, 1),
        )
        new = [{there.ids[row] for row in group} for group in found.groups]
        return self._store_groups(scope, new, build).model_copy(update={"nearest": nearest})

    def rebuild_stale_groups(self) -> list[RebuiltGroups]:
        """
        Rebuild the groups of all projects and users whose entries changed since the last build.
        """
        with self._db.read() as connection:
            stale = rows.stale(connection)
        return [self.rebuild_groups(scope=scope) for scope in stale]

    def list_groups(
        self, *, scope: Scope | None = None, offset: int = 0, limit: int = 50
    ) -> GroupList:
        """Return groups, largest first, with only the entries that the scope includes."""
        scope = validate_scope(scope)
        limits.validate_page_size(limit)
        with self._db.read() as connection:
            now = format_timestamp(self._db.clock())
            found, total = rows.page(connection, scope, now=now, offset=offset, limit=limit)
            build = rows.build_of(connection, scope)
            newest = rows.newest(connection, scope)
        return GroupList(
            groups=[Group(**vars(row)) for row in found],
            total=total,
            next_offset=_next(offset, len(found), total),
            built_at=build.built_at if build else None,
            partial=build.partial if build else "",
            stale=newest > (build.seq if build else 0),
        )

    def built_at(self, *, scope: Scope | None = None) -> datetime | None:
        """Return when the groups of a scope were last built; None if never."""
        with self._db.read() as connection:
            build = rows.build_of(connection, validate_scope(scope))
        return datetime.fromisoformat(build.built_at) if build else None

    def list_members(
        self, group_id: str, *, scope: Scope | None = None, offset: int = 0, limit: int = 50
    ) -> GroupMembers:
        """
        Return the entries of a group, oldest first; raise NotFoundError if there is no such group.
        """
        scope = validate_scope(scope)
        limits.validate_page_size(limit)
        with self._db.read() as connection:
            now = format_timestamp(self._db.clock())
            row = rows.find(connection, scope, group_id, now=now)
            if row is None:
                raise NotFoundError(
                    "group", group_id, "List the groups with the tool memory_list_groups."
                )
            page = rows.member_ids(connection, scope, group_id, now=now, offset=offset, limit=limit)
            return GroupMembers(
                group=Group(**vars(row)),
                members=entry_rows.by_ids(connection, page),
                next_offset=_next(offset, len(page), row.size),
            )

    def groups_of_entry(self, entry_id: str, *, scope: Scope | None = None) -> EntryGroups:
        """Return the groups of an entry; raise NotFoundError if there is no such entry."""
        scope = validate_scope(scope)
        with self._db.read() as connection:
            now = self._db.clock()
            entry = entry_rows.get(connection, scope, entry_id, now=now)
            ids = rows.of_entries(connection, [entry.id]).get(entry.id, [])
            found = [rows.find(connection, scope, id, now=format_timestamp(now)) for id in ids]
        return EntryGroups(entry_id=entry_id, groups=[Group(**vars(row)) for row in found if row])

    def group_map(self, *, scope: Scope | None = None) -> GroupMap:
        """Return the stored groups on a two-dimensional map of all entries."""
        scope = _whole(validate_scope(scope))
        with self._db.read() as connection:
            there = merged_vectors.of_scope(
                connection, **_of(scope), now=format_timestamp(self._db.clock())
            )
            labels = rows.labels(connection, scope)
            build = rows.build_of(connection, scope)
            shown = build_map(connection, there, rows.members(connection, scope), labels=labels)
            stale = rows.newest(connection, scope) > (build.seq if build else 0)
        if build is None:
            return shown.model_copy(update={"stale": stale})
        made = {"k": build.k, "threshold": build.threshold, "partial": build.partial}
        # model_copy does not validate, so the time is parsed here.
        at = datetime.fromisoformat(build.built_at)
        return shown.model_copy(update={**made, "built_at": at, "stale": stale})

    def preview_groups(self, threshold: float, k: int, *, scope: Scope | None = None) -> GroupMap:
        """Return the groups that *threshold* and *k* would produce, without storing them."""
        scope = _whole(validate_scope(scope))
        threshold = float(parse_setting("group_threshold", threshold))
        k = int(parse_setting("group_k", k))
        with self._db.read() as connection:
            there = merged_vectors.of_scope(
                connection, **_of(scope), now=format_timestamp(self._db.clock())
            )
            tags = rows.tags_of(connection, **_of(scope))
        found, _ = self._communities(there, least=threshold, k=k, started=time.monotonic())
        groups = {
            str(number): {there.ids[row] for row in group}
            for number, group in enumerate(found.groups, start=1)
        }
        with self._db.read() as connection:
            shown = build_map(connection, there, groups, labels=_labels(groups, tags))
        made = {"k": k, "threshold": threshold, "partial": found.partial}
        return shown.model_copy(update=made)

    def _communities(
        self, there: merged_vectors.Rows, *, least: float, k: int, started: float
    ) -> tuple[Communities, int]:
        """Return groups of matrix rows, and how many edges per row were kept if not all."""
        if not there.ids:
            return Communities([], 0), 0
        graph = similar_vectors(there.matrix, least=least, tick=_tell)
        found = communities(
            zip(graph.first.tolist(), graph.second.tolist(), strict=True),
            [len(rows) for rows in graph.rows],
            k=k,
            most_cliques=self._most_cliques,
            is_late=self._late(started),
        )
        whole = [
            frozenset(int(row) for node in group for row in graph.rows[node])
            for group in found.groups
        ]
        return Communities(whole, found.cliques, found.partial), graph.nearest

    def _store_groups(self, scope: Scope, new: list[set[str]], build: rows.Build) -> RebuiltGroups:
        """Replace the stored groups; a group that continues keeps its id."""
        # One transaction: of two concurrent rebuilds, the second starts from the first one's
        # result.
        with self._db.note() as connection:
            named = match_groups(rows.members(connection, scope), new)
            groups = {named.get(n) or self._ids(): members for n, members in enumerate(new)}
            labels = _labels(groups, rows.tags_of(connection, **_of(scope)))
            rows.replace(connection, scope, groups, labels=labels, build=build)
            pending = merged_vectors.standing(connection).unembedded
        return RebuiltGroups(
            **_of(scope),
            groups=len(groups),
            kept=len(named),
            entries=build.entries,
            pending=pending,
            k=build.k,
            threshold=build.threshold,
            cliques=build.cliques,
            partial=build.partial,
            milliseconds=build.milliseconds,
        )

    def _late(self, started: float) -> Callable[[], bool]:
        return lambda: time.monotonic() - started > self._most_seconds

    def _threshold(self, there: merged_vectors.Rows, given: float) -> float:
        if given != -1:
            return given
        defaults: EntryDefaults = self._settings.defaults
        if defaults.group_percentile:
            return percentile(there.matrix, defaults.group_percentile)
        return self._settings.number("group_threshold")


def _whole(scope: Scope) -> Scope:
    """Return the scope without agent and session: groups include entries of all of them."""
    return Scope(project_id=scope.project_id, user_id=scope.user_id)


def _of(scope: Scope) -> dict[str, str]:
    return {"project_id": scope.project_id, "user_id": scope.user}


def _next(offset: int, shown: int, total: int) -> int:
    return offset + shown if shown and offset + shown < total else -1


def _tell(done: int, total: int) -> None:
    report_progress(done, total, "comparing entries")


def _labels(groups: Mapping[str, set[str]], tags: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name each group by tags that are frequent in it and rare elsewhere."""
    everywhere = Counter(tag for listed in tags.values() for tag in listed)
    labels = {}
    for id, members in groups.items():
        here = Counter(tag for member in members for tag in tags.get(member, ()))
        # Plus one, so that a group of all entries is still named by its most frequent tags.
        weights = {
            tag: count * (1 + math.log(len(tags) / everywhere[tag])) for tag, count in here.items()
        }
        best = sorted(weights, key=lambda tag: (-weights[tag], tag))[:_LABEL_TAGS]
        labels[id] = ", ".join(best) or "untagged"
    return labels
