"""Putting the families together that know the past."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .conversing import Conversing

if TYPE_CHECKING:
    from ..services.history.history import History
    from ..services.history.timeline import Timelines
    from ..services.history.undo import Undo


class Past(Conversing):
    """What was known when, what happened, and how to take it back."""

    @cached_property
    def history(self) -> History:
        from ..services.history.history import History

        return History(self.db)

    @cached_property
    def timelines(self) -> Timelines:
        from ..services.history.timeline import Timelines

        return Timelines(self.db, self.ontology, self.exploration)

    @cached_property
    def undo(self) -> Undo:
        from ..services.history.undo import Undo

        return Undo(self.db)
