"""Message bottles: messages from one session to a later one."""

from __future__ import annotations

from datetime import datetime

from ..clock import format_timestamp
from ..context import current_actor
from ..errors import ValidationError
from ..ids import IdSource
from ..model.graph.bottles import PRIORITIES, Bottle, BottleList, Priority, WrittenBottle
from ..rules import limits
from ..storage.database import Database
from ..storage.graph import bottles as rows

# Enough for a message; longer texts are documents.
LONGEST = 20_000


class Bottles:
    """Create, list, acknowledge and expire messages."""

    def __init__(self, db: Database, ids: IdSource) -> None:
        self._db = db
        self._ids = ids

    def create_bottle(
        self,
        message: str,
        *,
        project_id: str = "default",
        priority: Priority = "medium",
        expires_at: datetime | None = None,
        author_session_id: str = "",
        recipient: str = "",
    ) -> WrittenBottle:
        """Leave a message; raise ValidationError if expires_at is in the past."""
        now = self._db.clock()
        if priority not in PRIORITIES:
            raise ValidationError(
                f"priority must be one of {', '.join(PRIORITIES)}, not {priority!r}."
            )
        if expires_at is not None and expires_at <= now:
            raise ValidationError(
                f"expires_at {expires_at.isoformat()} is in the past. Give a future time."
            )
        bottle = Bottle(
            id=self._ids(),
            project_id=limits.validate_project(project_id),
            message=limits.validate_text("message", message, longest=LONGEST),
            priority=priority,
            recipient=limits.validate_name("recipient", recipient) if recipient else "",
            author=current_actor(),
            author_session_id=author_session_id,
            expires_at=expires_at,
            created_at=now,
        )
        with self._db.write("create_bottle") as connection:
            rows.insert(connection, bottle)
        return WrittenBottle(bottle=bottle)

    def list_bottles(
        self,
        *,
        project_id: str = "default",
        include_acknowledged: bool = False,
        recipient: str = "",
        limit: int = 20,
        offset: int = 0,
    ) -> BottleList:
        """Return bottles, most urgent first, then newest; expired ones are only counted."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        recipient = limits.validate_name("recipient", recipient) if recipient else ""
        now = format_timestamp(self._db.clock())
        with self._db.read() as connection:
            found, total, expired = rows.list_bottles(
                connection,
                project_id,
                acknowledged=include_acknowledged,
                recipient=recipient,
                now=now,
                limit=limits.validate_page_size(limit),
                offset=max(offset, 0),
            )
            elsewhere = (
                rows.unread_elsewhere(connection, project_id, recipient=recipient, now=now)
                if project_id != limits.EVERY_PROJECT
                else {}
            )
        notice = _notice_of(elsewhere)
        return BottleList(bottles=found, total=total, expired=expired, notice=notice)

    def list_recipients(self, *, project_id: str = "default") -> list[str]:
        """Return the names of all recipients; bottles without a recipient are left out."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            return rows.recipients(connection, project_id)

    def acknowledge_bottles(
        self, id: str, *, project_id: str = "default", acknowledged_by: str = ""
    ) -> WrittenBottle:
        """Mark a bottle as read; later calls keep the first acknowledgement."""
        by = limits.validate_name("acknowledged_by", acknowledged_by or current_actor())
        now = self._db.clock()
        with self._db.write("acknowledge_bottle") as connection:
            bottle = rows.get(connection, limits.validate_project(project_id), id)
            if bottle.acknowledged_at is not None:
                return WrittenBottle(bottle=bottle, already_acknowledged=True)
            rows.acknowledge(connection, id, by=by, at=format_timestamp(now))
        read = bottle.model_copy(update={"acknowledged_by": by, "acknowledged_at": now})
        return WrittenBottle(bottle=read)

    def expire_bottle(self, id: str, *, project_id: str = "default") -> WrittenBottle:
        now = self._db.clock()
        with self._db.write("expire_bottle") as connection:
            bottle = rows.get(connection, limits.validate_project(project_id), id)
            rows.expire(connection, id, format_timestamp(now))
        return WrittenBottle(bottle=bottle.model_copy(update={"expires_at": now}))


def _notice_of(elsewhere: dict[str, int]) -> str:
    if not elsewhere:
        return ""
    named = ", ".join(f"{name!r} ({count})" for name, count in list(elsewhere.items())[:5])
    return f"Unread bottles in other projects: {named}. Give project_id to read them."
