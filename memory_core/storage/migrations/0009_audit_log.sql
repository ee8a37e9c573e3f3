-- The audit log in a narrow form: texts that repeat are stored once, a transaction is one row, and
-- a state is complete or a difference to an earlier state of its row (history/states.py). Readers
-- use the view changes, and the triggers of the tracked tables insert into it.

-- Row ids, kinds, projects, actors, causes and origins of changes, each stored once.
create table terms (
    id integer primary key,
    text text not null unique
) strict;

-- The transactions that changed something. The id is the seq of the first change.
create table change_transactions (
    id integer primary key,
    -- Microseconds since 1970.
    at integer not null,
    actor integer not null,
    cause integer not null,
    batch_id text not null,
    -- The node of the team where it was made, and when; null: here, at that time.
    origin integer,
    said_at integer
) strict;

create table change_log (
    seq integer primary key autoincrement,
    txn integer not null,
    kind integer not null,
    row integer not null,
    -- Null if a change is about the row itself.
    subject integer,
    object integer,
    -- 0 created, 1 changed, 2 deleted.
    op integer not null check (op in (0, 1, 2)),
    project integer not null,
    -- The seq of a complete state of the row, and the difference to it; null if the state is in
    -- change_states, or the row was deleted.
    base integer,
    difference text check ((difference is null) = (base is null)),
    -- Of a change by another node: its seq there, and its position in the log of the team.
    origin_seq integer,
    team_position integer
) strict;

-- Complete states, by the seq of the change.
create table change_states (
    seq integer primary key,
    state text not null
) strict;

-- From this change on every state can be read, and its time; older ones were trimmed.
create table history_state (
    one integer primary key check (one = 1),
    trimmed_to integer not null,
    trimmed_at text not null
) strict;
insert into history_state (one, trimmed_to, trimmed_at) values (1, 0, '');

insert or ignore into terms (text) select distinct kind from changes;
insert or ignore into terms (text) select distinct project_id from changes;
insert or ignore into terms (text) select distinct actor from changes;
insert or ignore into terms (text) select distinct cause from changes;
insert or ignore into terms (text) select row_id from changes;
insert or ignore into terms (text) select subject_id from changes;
insert or ignore into terms (text) select object_id from changes where object_id is not null;

-- A transaction is a run of changes with the same time, actor, cause and batch.
insert into change_transactions (id, at, actor, cause, batch_id)
select seq,
    cast(strftime('%s', substr(at, 1, 19)) as integer) * 1000000
        + cast(substr(at, 21, 6) as integer),
    (select id from terms where text = actor),
    (select id from terms where text = cause),
    batch_id
from (
    select seq, at, actor, cause, batch_id,
        lag(batch_id || char(31) || at || char(31) || actor || char(31) || cause)
            over (order by seq) as before
    from changes
)
where before is not batch_id || char(31) || at || char(31) || actor || char(31) || cause;

insert into change_log (seq, txn, kind, row, subject, object, op, project)
select c.seq,
    (select id from change_transactions where id <= c.seq order by id desc limit 1),
    (select id from terms where text = c.kind),
    (select id from terms where text = c.row_id),
    case when c.subject_id <> c.row_id then (select id from terms where text = c.subject_id) end,
    (select id from terms where text = c.object_id),
    case c.op when 'created' then 0 when 'changed' then 1 else 2 end,
    (select id from terms where text = c.project_id)
from changes c
order by c.seq;
insert into change_states (seq, state)
select seq, state from changes where state is not null order by seq;

-- A seq is not used again, even if the newest changes were erased.
insert into sqlite_sequence (name, seq)
select 'change_log', seq from sqlite_sequence
where name = 'changes' and not exists (select 1 from sqlite_sequence where name = 'change_log');
update sqlite_sequence set seq = (select seq from sqlite_sequence where name = 'changes')
where name = 'change_log' and exists (select 1 from sqlite_sequence where name = 'changes');

drop table changes;

create index change_log_by_row on change_log (row, kind, seq);
create index change_log_by_subject on change_log (subject, seq) where subject is not null;
create index change_log_by_object on change_log (object, seq) where object is not null;
create index change_log_by_project on change_log (project, seq);
-- The rows that had a key, including deleted ones.
create index change_states_by_key on change_states (state ->> 'folded_key', seq)
where state ->> 'folded_key' is not null;
create index change_transactions_by_batch on change_transactions (batch_id);

-- The transaction of the current write, once it has changed something.
alter table change_context add column txn integer;

-- The last possible seq of each transaction, and its time as text.
create view change_ranges as
select t.id as first,
    coalesce((select min(id) from change_transactions where id > t.id), 1 << 62) - 1 as last,
    t.batch_id,
    strftime('%Y-%m-%dT%H:%M:%S', (t.at - (t.at % 1000000 + 1000000) % 1000000) / 1000000,
        'unixepoch') || printf('.%06dZ', (t.at % 1000000 + 1000000) % 1000000) as at
from change_transactions t;

-- The changes with their states, without texts that only readers need.
create view recorded_states as
select l.seq,
    l.txn,
    l.kind,
    l.row,
    l.subject,
    l.object,
    l.op,
    l.project,
    l.origin_seq,
    l.team_position,
    -- The members of a difference are those of rules/differences.py.
    case when l.base is null then c.state else substr(b.state, 1, l.difference ->> 0)
        || (l.difference ->> 1) || substr(b.state, l.difference ->> 2, l.difference ->> 3)
        || (l.difference ->> 4) || substr(b.state, l.difference ->> 5)
    end as state
from change_log l
    left join change_states c on c.seq = l.seq
    left join change_states b on b.seq = l.base;

create view changes as
select l.seq,
    strftime('%Y-%m-%dT%H:%M:%S', (t.at - (t.at % 1000000 + 1000000) % 1000000) / 1000000,
        'unixepoch') || printf('.%06dZ', (t.at % 1000000 + 1000000) % 1000000) as at,
    a.text as actor,
    u.text as cause,
    k.text as kind,
    r.text as row_id,
    coalesce(s.text, r.text) as subject_id,
    o.text as object_id,
    case l.op when 0 then 'created' when 1 then 'changed' else 'deleted' end as op,
    p.text as project_id,
    t.batch_id,
    l.state,
    -- As they are stored, for queries that compare changes with each other.
    l.kind as kind_term,
    l.row as row_term,
    l.subject as subject_term,
    l.object as object_term,
    g.text as origin,
    l.origin_seq,
    l.team_position,
    t.said_at
from recorded_states l
    left join change_transactions t on t.id = l.txn
    left join terms a on a.id = t.actor
    left join terms u on u.id = t.cause
    left join terms k on k.id = l.kind
    left join terms r on r.id = l.row
    left join terms s on s.id = l.subject
    left join terms o on o.id = l.object
    left join terms p on p.id = l.project
    left join terms g on g.id = t.origin;

create trigger changes_recorded instead of insert on changes begin
    insert or ignore into terms (text) values (new.kind), (new.project_id), (new.row_id);
    insert or ignore into terms (text)
    select new.subject_id where new.subject_id <> new.row_id;
    insert or ignore into terms (text)
    select new.object_id where new.object_id is not null;
    insert or ignore into terms (text) select actor from change_context where txn is null;
    insert or ignore into terms (text) select cause from change_context where txn is null;
    insert into change_transactions (id, at, actor, cause, batch_id)
    select coalesce((select seq from sqlite_sequence where name = 'change_log'), 0) + 1,
        cast(coalesce(strftime('%s', substr(at, 1, 19)), 0) as integer) * 1000000
            + cast(substr(at, 21, 6) as integer),
        (select id from terms where text = actor),
        (select id from terms where text = cause),
        batch_id
    from change_context where txn is null;
    update change_context
    set txn = coalesce((select seq from sqlite_sequence where name = 'change_log'), 0) + 1
    where txn is null;
    insert into change_log (txn, kind, row, subject, object, op, project)
    values (
        (select txn from change_context),
        (select id from terms where text = new.kind),
        (select id from terms where text = new.row_id),
        case when new.subject_id <> new.row_id
            then (select id from terms where text = new.subject_id) end,
        (select id from terms where text = new.object_id),
        case new.op when 'created' then 0 when 'changed' then 1 else 2 end,
        (select id from terms where text = new.project_id)
    );
    insert into change_states (seq, state)
    select last_insert_rowid(), new.state where new.state is not null;
end;
