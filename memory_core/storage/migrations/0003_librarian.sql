-- What the librarian noticed about two entities, or two facts of theirs, for somebody
-- to decide. Tracked: who rejected a pair, and when, is part of the history.
create table suggestions (
    id text primary key,
    project_id text not null,
    kind text not null check (kind in ('relation', 'duplicate', 'contradiction')),
    -- The entities. Their row ids are not references: a suggestion outlives its ends.
    from_id text not null,
    to_id text not null,
    -- What is compared: the entities themselves, or an observation of each.
    from_row_id text not null,
    to_row_id text not null,
    relation_type text not null default '',
    similarity real not null check (similarity between 0 and 1),
    status text not null default 'open'
    check (status in ('open', 'accepted', 'rejected', 'gone')),
    reason text not null default '',
    created_at text not null,
    updated_at text not null
) strict;
create unique index suggestions_by_pair on suggestions (
    kind, min(from_row_id, to_row_id), max(from_row_id, to_row_id)
);
create index suggestions_by_status
on suggestions (project_id, status, kind, similarity desc, id);

-- Every run of the librarian, of discovery and of upkeep; not knowledge.
create table cycles (
    id integer primary key autoincrement,
    kind text not null check (kind in ('librarian', 'discovery', 'upkeep')),
    project_id text not null,
    actor text not null,
    started_at text not null,
    ended_at text,
    milliseconds real not null default 0,
    status text not null
    check (status in ('running', 'done', 'unchanged', 'cancelled', 'failed', 'interrupted')),
    dry_run integer not null default 0,
    -- The newest change it had seen, and the first and last change it made.
    seen_seq integer not null,
    first_seq integer,
    last_seq integer,
    batch_id text not null,
    -- What it was asked to do; equal questions of equal knowledge have equal answers.
    question text not null default '{}',
    counts text not null default '{}',
    pending integer not null default 0,
    error text not null default ''
) strict;
create index cycles_by_kind on cycles (kind, project_id, id);

-- Settings that somebody chose while the program ran. They win over the environment.
create table choices (
    name text primary key,
    value text not null,
    chosen_by text not null,
    chosen_at text not null
) strict, without rowid;
