"""
Classes that memory.py composes; a module is imported when one of its names is first used.

Importing all of them takes longer than the rest of the start, and most programs use a few.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .extract.factory import choose_extractor as choose_extractor
    from .librarian.context import LibrarianContext as LibrarianContext
    from .librarian.librarian import Librarian as Librarian
    from .librarian.scheduled_jobs import entry_jobs as entry_jobs
    from .librarian.scheduled_jobs import fact_jobs as fact_jobs
    from .librarian.scheduled_jobs import upkeep_jobs as upkeep_jobs
    from .model.maintenance import OptimizeResult as OptimizeResult
    from .search.embedding_worker import EmbeddingWorker as EmbeddingWorker
    from .search.index import VectorIndex as VectorIndex
    from .search.mirrors.follower import MirrorFollower as MirrorFollower
    from .search.query_cache import CachedQueries as CachedQueries
    from .search.reranker import CrossEncoderReranker as CrossEncoderReranker
    from .search.reranker import Reranker as Reranker
    from .search.snapshot import snapshot_of as snapshot_of
    from .services.allowed_paths import EXPORTS as EXPORTS
    from .services.allowed_paths import data_folders as data_folders
    from .services.bottles import Bottles as Bottles
    from .services.demonstration import Demonstration as Demonstration
    from .services.discovery.background import Background as Background
    from .services.discovery.background import BackgroundDiscovery as BackgroundDiscovery
    from .services.discovery.discovery import Discovery as Discovery
    from .services.discovery.suggestions import Suggestions as Suggestions
    from .services.documents.knowledge import Knowledge as Knowledge
    from .services.documents.prose import Prose as Prose
    from .services.entries.entries import Entries as Entries
    from .services.entries.groups import Groups as Groups
    from .services.entries.maintenance import EntryUpkeep as EntryUpkeep
    from .services.entries.query import EntryQuery as EntryQuery
    from .services.entries.settings import EntrySettings as EntrySettings
    from .services.entries.status import EntryStatus as EntryStatus
    from .services.facts.conversation import Conversation as Conversation
    from .services.facts.extraction import Extraction as Extraction
    from .services.facts.maintenance import FactUpkeep as FactUpkeep
    from .services.facts.nearest import NearestFacts as NearestFacts
    from .services.facts.review import FactReview as FactReview
    from .services.facts.writing import FactWriter as FactWriter
    from .services.graph.analytics import Analytics as Analytics
    from .services.graph.exploration import Exploration as Exploration
    from .services.graph.graph import Graph as Graph
    from .services.graph.graph_view import Atlas as Atlas
    from .services.graph.observations import Observations as Observations
    from .services.graph.relations import Relations as Relations
    from .services.history.history import History as History
    from .services.history.timeline import Timelines as Timelines
    from .services.history.undo import Undo as Undo
    from .services.import_export.bundles import Bundles as Bundles
    from .services.import_export.interchange import Interchange as Interchange
    from .services.import_export.interchange import Writers as Writers
    from .services.job_runs import JobRuns as JobRuns
    from .services.maintenance.bulk_edit import Curation as Curation
    from .services.maintenance.health import Health as Health
    from .services.maintenance.history_trimming import HistoryTrimming as HistoryTrimming
    from .services.maintenance.lifecycle import Lifecycle as Lifecycle
    from .services.maintenance.upkeep import Upkeep as Upkeep
    from .services.overview import Overview as Overview
    from .services.search.knowledge_search import KnowledgeSearch as KnowledgeSearch
    from .services.search.saved_searches import SavedSearches as SavedSearches
    from .services.search.search import Search as Search
    from .services.sessions import Sessions as Sessions
    from .services.statistics import Statistics as Statistics
    from .storage.search.embeddings import reindex as reindex
    from .storage.search.vector_log import ENTRIES as ENTRIES
    from .storage.search.vector_log import PIECES as PIECES
    from .storage.search.vector_log import VectorLog as VectorLog

# The same for the running program: the module of each name.
_MODULES = {
    "Analytics": "services.graph.analytics",
    "Atlas": "services.graph.graph_view",
    "Background": "services.discovery.background",
    "BackgroundDiscovery": "services.discovery.background",
    "Bottles": "services.bottles",
    "Bundles": "services.import_export.bundles",
    "CachedQueries": "search.query_cache",
    "Conversation": "services.facts.conversation",
    "CrossEncoderReranker": "search.reranker",
    "Curation": "services.maintenance.bulk_edit",
    "Demonstration": "services.demonstration",
    "LibrarianContext": "librarian.context",
    "Discovery": "services.discovery.discovery",
    "ENTRIES": "storage.search.vector_log",
    "EXPORTS": "services.allowed_paths",
    "EmbeddingWorker": "search.embedding_worker",
    "Entries": "services.entries.entries",
    "EntryQuery": "services.entries.query",
    "EntrySettings": "services.entries.settings",
    "EntryStatus": "services.entries.status",
    "EntryUpkeep": "services.entries.maintenance",
    "Exploration": "services.graph.exploration",
    "Extraction": "services.facts.extraction",
    "FactReview": "services.facts.review",
    "FactUpkeep": "services.facts.maintenance",
    "FactWriter": "services.facts.writing",
    "Graph": "services.graph.graph",
    "Groups": "services.entries.groups",
    "Health": "services.maintenance.health",
    "HistoryTrimming": "services.maintenance.history_trimming",
    "History": "services.history.history",
    "Interchange": "services.import_export.interchange",
    "Knowledge": "services.documents.knowledge",
    "KnowledgeSearch": "services.search.knowledge_search",
    "Librarian": "librarian.librarian",
    "Lifecycle": "services.maintenance.lifecycle",
    "MirrorFollower": "search.mirrors.follower",
    "NearestFacts": "services.facts.nearest",
    "Observations": "services.graph.observations",
    "OptimizeResult": "model.maintenance",
    "Overview": "services.overview",
    "PIECES": "storage.search.vector_log",
    "Prose": "services.documents.prose",
    "Relations": "services.graph.relations",
    "Reranker": "search.reranker",
    "SavedSearches": "services.search.saved_searches",
    "Search": "services.search.search",
    "Sessions": "services.sessions",
    "JobRuns": "services.job_runs",
    "Statistics": "services.statistics",
    "Suggestions": "services.discovery.suggestions",
    "Timelines": "services.history.timeline",
    "Undo": "services.history.undo",
    "Upkeep": "services.maintenance.upkeep",
    "VectorIndex": "search.index",
    "VectorLog": "storage.search.vector_log",
    "Writers": "services.import_export.interchange",
    "upkeep_jobs": "librarian.scheduled_jobs",
    "choose_extractor": "extract.factory",
    "data_folders": "services.allowed_paths",
    "entry_jobs": "librarian.scheduled_jobs",
    "fact_jobs": "librarian.scheduled_jobs",
    "reindex": "storage.search.embeddings",
    "snapshot_of": "search.snapshot",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{_MODULES[name]}", __package__), name)
