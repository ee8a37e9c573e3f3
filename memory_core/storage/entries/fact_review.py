"""Facts and jobs for review: by scope, and replaced facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...model.facts.fact_review import FactCounts, FactScopeFilter, ScopeCounts
from ..scoping import ALIVE, SEEN, bound_of, page_of, scope_query

_HOLDERS = """
select project_id, user_id, agent_id, session_id, sum(fact) as facts, sum(job) as jobs
from (
    select project_id, user_id, agent_id, session_id, 1 as fact, 0 as job
    from entries
    where form = 'fact' and project_id = :project_id
    union all
    select project_id, user_id, agent_id, session_id, 0, 1
    from extraction_jobs
    where project_id = :project_id
)
group by project_id, user_id, agent_id, session_id
order by project_id, user_id, agent_id, session_id
"""

_COUNTS = f"""
select status, count(*) as count
from entries
where {SEEN} and form = 'fact' and {ALIVE}
group by status
"""

_UNFINISHED = f"""
select count(*) from extraction_jobs
where {SEEN} and status in ('pending', 'waiting_for_assistant', 'failed')
"""

# A change counts unless its fact has its former text again. Facts that never changed and
# refer to no other fact cannot have such changes, and are filtered out first.
_FUSED = f"""
    touched as materialized (
    select id, summary, duplicate_of, superseded_by from entries
    where {SEEN} and form = 'fact'
        and (updated_at <> created_at or duplicate_of is not null or superseded_by is not null)
),
acted as (
    select t.id, t.summary, t.duplicate_of, t.superseded_by, c.seq, c.at, c.actor, c.cause,
        c.batch_id, c.state, (
            select state from recorded_states
            where row = c.row_term and kind = c.kind_term and seq < c.seq
            order by seq desc limit 1
        ) as before
    from touched t
        cross join terms w on w.text = t.id
        cross join change_log l on l.row = w.id
        cross join changes c on c.seq = l.seq
    where c.kind = 'entries' and c.cause in ('remember', 'fact_compared') and c.state is not null
        and (c.op = 'changed' or t.duplicate_of is not null or t.superseded_by is not null)
),
fused as (
    select id, seq, at, actor, cause, batch_id, coalesce(before, state) ->> 'summary' as former,
        state ->> 'summary' as became,
        case
            when superseded_by is not null and state ->> 'superseded_by' = superseded_by
                and before ->> 'superseded_by' is not superseded_by then 'superseded'
            when duplicate_of is not null and state ->> 'duplicate_of' = duplicate_of
                and before ->> 'duplicate_of' is not duplicate_of
                then iif(state ->> 'status' = 'duplicate', 'duplicate', 'kept_both')
            when before ->> 'summary' <> state ->> 'summary'
                and summary <> before ->> 'summary' then 'rewritten'
        end as fate
    from acted
)
"""

_FUSED_PAGE = f"""
with {_FUSED}
select id, seq, at, actor, cause, batch_id, former, became, fate
from fused
where fate is not null and (:seq = 0 or seq < :seq)
order by seq desc
limit :limit
"""

_FUSED_COUNT = f"""
with {_FUSED}
select count(*) from fused where fate is not null
"""


@dataclass(frozen=True)
class FusedRow:
    """A change that replaced one fact by another."""

    id: str
    seq: int
    at: str
    actor: str
    cause: str
    batch_id: str
    former: str
    became: str
    fate: Any


def holders(connection: Connection, project_id: str) -> list[ScopeCounts]:
    """Return each exact scope of a project ("*": all) that has facts or jobs."""
    rows = connection.execute(scope_query(_HOLDERS, project_id), {"project_id": project_id})
    return [ScopeCounts(**row) for row in rows]


def counts(connection: Connection, whose: FactScopeFilter, *, now: datetime) -> FactCounts:
    bound = {**bound_of(whose), "now": format_timestamp(now)}
    query = scope_query(_COUNTS, whose.project_id, bound["user_id"])
    rows = connection.execute(query, bound)
    return FactCounts(**{row["status"]: row["count"] for row in rows})


def count_unfinished(connection: Connection, whose: FactScopeFilter) -> int:
    """Return the number of conversations whose facts are not extracted yet."""
    bound = bound_of(whose)
    query = scope_query(_UNFINISHED, whose.project_id, bound["user_id"])
    return int(connection.execute(query, bound).get)


def merged_pairs(
    connection: Connection, whose: FactScopeFilter, *, before: int = 0, limit: int
) -> tuple[list[FusedRow], int]:
    """Return changes that replaced one fact by another, newest first, and the total count."""
    bound, place = bound_of(whose), {"seq": before, "limit": limit}
    rows, total = page_of(connection, _FUSED_PAGE, count=_FUSED_COUNT, bound=bound, place=place)
    return [FusedRow(**row) for row in rows], total
