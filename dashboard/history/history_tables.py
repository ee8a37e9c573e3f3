"""Tables of the graph at an earlier moment, tinted by change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from memory_core.model.graph.graph_view import GraphMap, MapNode
from memory_core.model.history import RowChange

from ..components.formatting import readable


def then_table(nodes: Sequence[MapNode], since: Iterable[RowChange]) -> pd.DataFrame:
    """Return entities as they were, with the change of each since."""
    became: dict[tuple[str, str], str] = {}
    for change in since:
        place = (change.project_id, change.entity_id)
        if change.kind == "entity" and change.change == "removed":
            became[place] = "removed since"
        else:
            became.setdefault(place, "changed since")
    return pd.DataFrame(
        {
            "Changes since": [
                became.get((node.project_id, node.id), "unchanged") for node in nodes
            ],
            "Name": [node.name for node in nodes],
            "Type": [node.node_type for node in nodes],
            "Status": [node.status for node in nodes],
            "Observations": [node.observations for node in nodes],
            "Relations": [node.degree for node in nodes],
            "Project": [node.project_id for node in nodes],
            "Id": [node.id for node in nodes],
        }
    )


def then_relations_table(drawn: GraphMap) -> pd.DataFrame:
    """Return relations as they were, with the change of each since."""
    names = {node.row_id: node.name for node in drawn.nodes}
    return pd.DataFrame(
        {
            "Changes since": [
                f"{edge.became} since" if edge.became else "unchanged" for edge in drawn.edges
            ],
            "From": [names[edge.from_row_id] for edge in drawn.edges],
            "Relation": [readable(edge.relationship_type) for edge in drawn.edges],
            "To": [names[edge.to_row_id] for edge in drawn.edges],
        }
    )


def tint_changes(rows: pd.DataFrame) -> Styler:
    """Tint the change column: added green, changed amber, removed red."""
    tints = {
        "added since": "#2f9e6e33",
        "changed since": "#d98a1f33",
        "removed since": "#d6455d33",
    }
    return rows.style.map(
        lambda word: f"background-color: {tints[word]}" if word in tints else "",
        subset=["Changes since"],
    )
