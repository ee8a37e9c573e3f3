"""The graph of an earlier moment as a table, tinted by what became of it."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from pandas.io.formats.style import Styler

from memory_core.model.history import PastPage, RowChange


def then_table(page: PastPage, since: Iterable[RowChange]) -> pd.DataFrame:
    """Return entities as they were at a moment, with a word for what became of each."""
    became: dict[tuple[str, str], str] = {}
    for change in since:
        place = (change.project_id, change.entity_id)
        if change.kind == "entity" and change.change == "removed":
            became[place] = "removed since"
        else:
            became.setdefault(place, "changed since")
    return pd.DataFrame(
        {
            "Since then": [
                became.get((each.entity.project_id, each.entity.id), "as it was")
                for each in page.entities
            ],
            "Name": [each.entity.name for each in page.entities],
            "Type": [each.entity.node_type for each in page.entities],
            "Status": [each.entity.status for each in page.entities],
            "Observations": [len(each.observations) for each in page.entities],
            "Relations": [len(each.relations) for each in page.entities],
            "Project": [each.entity.project_id for each in page.entities],
            "Id": [each.entity.id for each in page.entities],
        }
    )


def tinted(rows: pd.DataFrame) -> Styler:
    """Return the table with what changed in amber and what is gone in red, beside its word."""
    tints = {"changed since": "#d98a1f33", "removed since": "#d6455d33"}
    return rows.style.map(
        lambda word: f"background-color: {tints[word]}" if word in tints else "",
        subset=["Since then"],
    )
