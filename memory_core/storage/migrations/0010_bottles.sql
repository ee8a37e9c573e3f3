-- Bottles are searched from now on (history/tracked.py): those that exist get search documents, which
-- are indexed like rows of older text rules.
insert into searchables (kind, row_id, subject_id, project_id, occurred_at, active, text, seq)
select 'bottles', id, id, project_id, created_at, acknowledged_at is null, message,
    (select coalesce(max(seq), 0) from change_log)
from bottles
order by created_at, id;

update full_text_state
set reindexed_to = min(
    coalesce(reindexed_to, 1 << 62),
    (select min(id) - 1 from searchables where kind = 'bottles')
)
where exists (select 1 from searchables where kind = 'bottles');
