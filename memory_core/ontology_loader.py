"""Load the ontology: the file that the settings name, or the one in this package."""

from __future__ import annotations

from importlib.resources import files

from .model.graph.ontology import Ontology
from .readers.safe_open import configured_contents
from .rules.graph.ontology import parse_ontology
from .settings import Settings

SHIPPED_ONTOLOGY = files("memory_core") / "ontology.json"


def load_ontology(settings: Settings) -> Ontology:
    """Return the ontology; raise ConfigurationError if the file is invalid."""
    if settings.ontology_file is None:
        return parse_ontology(SHIPPED_ONTOLOGY.read_text(encoding="utf-8"))
    found = configured_contents(settings.ontology_file, max_bytes=settings.knowledge_max_bytes)
    return parse_ontology(found.decode("utf-8"))
