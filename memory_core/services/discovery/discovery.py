"""
Find similar entities that are not related yet.

1. Candidates come from stored vectors through an index; all pairs are never compared.
2. Searching writes nothing. Relations are created on request only, with the similarity as
   their confidence and "radar" as their source, in one batch that undo reverts.
3. A pair with any relation, or a rejected pair, is not suggested again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ...context import as_one_batch, current_batch
from ...errors import DimensionMismatchError, EmbeddingError
from ...ids import IdSource
from ...model.graph.discovery import BackgroundStatus, DiscoveryRun, Radar
from ...model.graph.ontology import Ontology
from ...rules import limits
from ...search.embedding_worker import EmbeddingWorker
from ...storage.database import Database
from ...storage.graph import suggestions as rows
from ...storage.search import embeddings, search_documents
from ..job_runs import JobRun, JobRuns
from ..progress import Progress
from .background import BackgroundDiscovery
from .relation_candidates import as_noted, relate, unrelated_pairs
from .similarity import Likeness, gather
from .suggestions import MOST_OPEN, Found, Suggestions

# Limit of relations created and pairs counted by one run; a run that reaches it reports so.
MOST_MADE = 5_000
COUNTED = 10_000

# Pairs in the result of a run.
SHOWN = 20

# Passages embedded between two checks for cancellation.
_EMBEDDED = 256


class Discovery:
    """Finds similar pairs and relates them or stores them as suggestions."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        ontology: Ontology,
        *,
        job_runs: JobRuns,
        suggestions: Suggestions,
        background: BackgroundDiscovery,
        follower: EmbeddingWorker | None = None,
    ) -> None:
        self._db = db
        self._ids = ids
        self._ontology = ontology
        self._job_runs = job_runs
        self._suggestions = suggestions
        self._follower = follower
        self.background = background

    def find_candidates(
        self,
        similarity_threshold: float = 0.7,
        *,
        limit: int = 50,
        auto_create: bool = False,
        project_id: str = "default",
    ) -> Radar:
        """Return similar pairs without a relation; relate those returned if *auto_create*."""
        least = limits.validate_share("similarity_threshold", similarity_threshold)
        limit = limits.validate_page_size(limit)
        project_id = limits.validate_project(project_id)
        steps = Progress()
        notice = self.catch_up(steps)
        likeness, pairs = self._find_pairs(steps, project_id, least, most=COUNTED)
        shown = pairs[:limit]
        batch_id = current_batch() or self._ids()
        made = 0
        if auto_create:
            with as_one_batch(batch_id):
                made = relate(self._db, self._ids, shown, cause="semantic_radar", tick=steps.tick)
        return Radar(
            pairs=self._suggestions.describe_suggestions(
                self._existing_suggestions(shown, project_id)
            ),
            total=len(pairs),
            created=made,
            compared=len(likeness.cards),
            pending=self.pending_projects(),
            truncated=len(pairs) > len(shown),
            batch_id=batch_id if made else "",
            notice=notice,
        )

    def discover_relations(
        self,
        similarity_threshold: float = 0.7,
        *,
        auto_create: bool = True,
        project_id: str = "default",
    ) -> DiscoveryRun:
        """Search a project once; relate the pairs found, or store them as suggestions."""
        least = limits.validate_share("similarity_threshold", similarity_threshold)
        project_id = limits.validate_project(project_id)
        question = {"least": least, "auto_create": auto_create}
        notice = self.catch_up(Progress())
        before = self._job_runs.last_run("discovery", project_id=project_id, question=question)
        found: list[Found] = []
        with self._job_runs.start_run(
            "discovery", project_id=project_id, question=question
        ) as job_run:
            if before is None:
                found = self._carried_out(job_run, project_id, least, auto_create)
            else:
                job_run.outcome = "unchanged"
                notice = notice or f"Nothing was written since run {before.id}: nothing is new."
        if job_run.counts["left_for_later"]:
            notice = f"{notice} There are more pairs; run it again for those.".strip()
        return DiscoveryRun(
            cycle=job_run.cycle,
            found=job_run.counts["found"],
            created=job_run.counts["relations_made"],
            suggested=job_run.counts["suggestions_new"],
            pairs=self._suggestions.describe_suggestions(
                self._existing_suggestions(found[:SHOWN], project_id)
            ),
            notice=notice,
        )

    def background_status(self) -> BackgroundStatus:
        """Return the settings and the state of background discovery."""
        return self.background.status()

    def set_background(
        self, *, enabled: bool, interval_seconds: int = -1, similarity_threshold: float = -1
    ) -> BackgroundStatus:
        """Store the settings of background discovery; they survive restarts."""
        return self.background.choose(
            enabled=enabled,
            interval_seconds=interval_seconds,
            similarity_threshold=similarity_threshold,
        )

    def list_projects(self) -> list[str]:
        """Return the projects that discovery runs on."""
        with self._db.read() as connection:
            return search_documents.projects(connection)

    def pending_projects(self) -> int:
        """Return how many passages have no vector yet."""
        with self._db.read() as connection:
            return embeddings.standing(connection).unembedded

    def catch_up(self, steps: Progress) -> str:
        """Embed pending passages; return a notice if that is not possible."""
        if not self.pending_projects():
            return ""
        if self._follower is None:
            return _left_out(self.pending_projects(), "no model is in use")
        steps.begin_step(0, 1, "embedding new passages")
        try:
            while self._follower.catch_up(_EMBEDDED):
                steps.tick(0, 1)
        except (EmbeddingError, DimensionMismatchError) as error:
            return _left_out(self.pending_projects(), str(error))
        return ""

    def suggest_relations(
        self,
        job_run: JobRun,
        likeness: Likeness,
        found: Sequence[Found],
        *,
        project_id: str,
        least: float,
    ) -> list[rows.Noted]:
        """
        Store pairs as suggestions and withdraw those that no longer apply; return the new ones.
        """
        with self._db.read() as connection:
            before, _ = rows.page(connection, project_id, kind="relation")
            related = rows.related_pairs(connection, [noted.pair for noted in before])
        all_there = not self.pending_projects()

        def holds(noted: rows.Noted) -> bool:
            cosine = likeness.cosine(noted.from_id, noted.to_id)
            known = cosine is None or cosine >= least
            return noted.pair not in related and known and (cosine is not None or not all_there)

        plan = self._suggestions.plan_suggestions(project_id, "relation", found, holds=holds)
        job_run.counts["suggestions_new"] += len(plan.new)
        job_run.counts["suggestions_gone"] += len(plan.gone)
        if not job_run.cycle.dry_run:
            self._suggestions.write_plan(
                plan, cause=f"{job_run.cycle.kind}_cycle", tick=job_run.tick
            )
        return plan.new

    def _find_pairs(
        self, steps: Progress, project_id: str, least: float, *, most: int
    ) -> tuple[Likeness, list[Found]]:
        steps.begin_step(0, 3, "reading vectors")
        likeness = gather(self._db, project_id, steps.tick)
        steps.begin_step(1, 3, "searching for similar entities")
        near = likeness.pairs(least, steps.tick)
        steps.begin_step(2, 3, "excluding related pairs")
        pairs = unrelated_pairs(self._db, self._ontology, likeness, near)
        return likeness, list(islice(pairs, most))

    def _carried_out(
        self, job_run: JobRun, project_id: str, least: float, auto_create: bool
    ) -> list[Found]:
        most = MOST_MADE if auto_create else MOST_OPEN
        likeness, pairs = self._find_pairs(job_run, project_id, least, most=most + 1)
        found = pairs[:most]
        job_run.counts.update(entities=len(likeness.cards), found=len(found))
        job_run.counts["left_for_later"] = len(pairs) - len(found)
        if auto_create:
            job_run.counts["relations_made"] = relate(
                self._db, self._ids, found, cause="discovery_cycle", tick=job_run.tick
            )
        suggested = [] if auto_create else found
        self.suggest_relations(job_run, likeness, suggested, project_id=project_id, least=least)
        return found

    def _existing_suggestions(self, found: Sequence[Found], project_id: str) -> list[rows.Noted]:
        """Return the found pairs, each as its stored suggestion where there is one."""
        with self._db.read() as connection:
            known = rows.of_pairs(connection, "relation", [each.pair for each in found])
        is_open = {pair: noted for pair, noted in known.items() if noted.status == "open"}
        return [is_open.get(each.pair) or as_noted(each, project_id) for each in found]


def _left_out(pending: int, why: str) -> str:
    return f"{pending} passages have no vector yet and were left out: {why}"
