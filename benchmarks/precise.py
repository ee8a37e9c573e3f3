"""PrecisionMemBench through this memory: how beliefs are filed, and which hits a caller keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from memory_core.memory import Memory
from memory_core.model.search.results import SearchHit, SearchResult

from .askers import AskFunction
from .measure import How, open_asker
from .precision import Belief, Outcome, Search, beliefs, cases, means, run
from .store import KeptEmbedder, open_store, settle

# A belief's type, and the type of the entity that stands for it.
NODE_TYPES = {
    "preference": "preference",
    "decision": "decision",
    "open_question": "question",
    "entity": "thing",
    "relation": "concept",
}
# Open questions are shown apart; a caller asks for the other types.
ASKED_TYPES = tuple(sorted(set(NODE_TYPES.values()) - {"question"}))

Keep = Callable[[SearchResult], list[SearchHit]]

# What a caller keeps when the query names no one entity: rows that are near, or among the
# first by full text. Chosen on these very cases; there are no others to confirm it on.
SIMILAR = 0.3
FIRST_BY_WORDS = 3
# A smaller link is that of an entity related to the one named.
NAMED = 0.2


def measure_precision(
    directory: Path, how: How, *, path: Path, embedder: KeptEmbedder
) -> tuple[list[str], dict[str, float], dict[str, object]]:
    """Return what to print, the means, and what to write."""
    known, asked = beliefs(directory), cases(directory)
    memory = open_store(path, embedder, how.settings)
    try:
        belief_of = file_beliefs(memory, known)
        settle(memory)
        with open_asker(memory, how, how.settings, explain=True) as ask:
            kept = run(known, asked, _search(ask, belief_of, keep=related_hits))
            everything = run(known, asked, _search(ask, belief_of, keep=all_of))
    finally:
        memory.close()
    reached = means(kept)
    lines = [
        f"precision, through {how.through}: {len(known)} beliefs, {len(asked)} cases",
        _line("every hit", means(everything)),
        _line("hits that a caller keeps", reached),
        *(f"  {text}" for text in _by_category(kept)),
    ]
    written: dict[str, object] = {
        "suite": "precision",
        "through": how.through,
        "figures": reached,
        "every_hit": means(everything),
        "cases": [asdict(one) for one in kept],
    }
    return lines, reached, written


def file_beliefs(memory: Memory, known: Sequence[Belief]) -> dict[str, str]:
    """Write the beliefs; return which belief each entity stands for, by project and id."""
    by_id = {belief.id: belief for belief in known}
    before = {belief.superseded_by: belief for belief in known if belief.superseded_by}
    entity_of: dict[str, str] = {}
    for belief in known:
        if belief.superseded_by in by_id:
            continue
        for scope in belief.scopes:
            project = project_of(belief.user, scope)
            id = memory.graph.create_entity(
                belief.name,
                NODE_TYPES[belief.type],
                project_id=project,
                aliases=belief.aliases,
            ).entity.id
            entity_of[f"{project}/{id}"] = belief.id
            _file_history(memory, project, id, _chain(belief, before))
            if belief.is_resolved:
                memory.lifecycle.archive_entities(id, "resolved", project_id=project)
    return entity_of


def project_of(user: str, scope: str) -> str:
    """Return the project that holds a user's beliefs of one scope."""
    return f"{user} {scope}"


def related_hits(result: SearchResult) -> list[SearchHit]:
    """Return the hits a caller keeps: of the entity the query names, else those that fit."""
    named = [hit for hit in result.hits if hit.explain and hit.explain.link >= NAMED]
    return named or [hit for hit in result.hits if _fits(hit)]


def all_of(result: SearchResult) -> list[SearchHit]:
    return list(result.hits)


def _fits(hit: SearchHit) -> bool:
    why = hit.explain
    return why is not None and (
        why.vector_score >= SIMILAR or 0 < why.lexical_rank <= FIRST_BY_WORDS
    )


def _file_history(memory: Memory, project: str, entity: str, chain: Sequence[Belief]) -> None:
    """Observe the oldest belief, then let each newer one supersede it."""
    written = memory.observations.add_observation(entity, chain[0].content, project_id=project)
    for newer in chain[1:]:
        written = memory.observations.supersede_observation(
            written.observation.id, newer.content, project_id=project
        )


def _chain(belief: Belief, before: dict[str, Belief]) -> list[Belief]:
    """Return the beliefs that led to this one, oldest first, and it."""
    chain = [belief]
    while chain[0].id in before:
        chain.insert(0, before[chain[0].id])
    return chain


def _search(ask: AskFunction, belief_of: dict[str, str], *, keep: Keep) -> Search:
    """Return what asks one scope and names the beliefs of the hits that are kept."""

    def search(user: str, scope: str, query: str, limit: int) -> list[str]:
        project = project_of(user, scope)
        result = ask.ask(query, project, limit, node_types=ASKED_TYPES)
        ids = [hit.entity.id for hit in keep(result) if hit.entity is not None]
        return list(dict.fromkeys(belief_of[f"{project}/{id}"] for id in ids))

    return search


def _line(name: str, figures: dict[str, float]) -> str:
    return f"{name:<28}" + "".join(f"  {key} {value:.3f}" for key, value in figures.items())


def _by_category(outcomes: Sequence[Outcome]) -> list[str]:
    categories = sorted({one.category for one in outcomes})
    return [
        _line(f"{category}", means([one for one in outcomes if one.category == category]))
        for category in categories
    ]
