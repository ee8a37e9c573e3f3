-- Conversations from which facts are to be drawn. Work and not knowledge: what came of
-- it is in entries; a transcript goes after some days, so the journal must not keep it.
create table extraction_jobs (
    id text primary key,
    project_id text not null,
    user_id text not null default '',
    agent_id text not null default '',
    session_id text not null default '',
    messages text not null check (json_type(messages) = 'array'),
    metadata text not null default '{}' check (json_type(metadata) = 'object'),
    extractor text not null default '',
    status text not null check (status in (
        'pending', 'waiting_for_assistant', 'failed',
        'stored', 'deferred', 'duplicate', 'nothing_memorable'
    )),
    attempts integer not null default 0,
    reason text not null default '',
    -- What was extracted; null until it is known. What became of the first of it follows
    -- in the same transaction as the facts themselves, so that none is written twice.
    facts text check (facts is null or json_type(facts) = 'array'),
    refused text not null default '[]' check (json_type(refused) = 'array'),
    written text not null default '[]' check (json_type(written) = 'array'),
    batch_id text not null default '',
    -- Somebody is at it until then, unless his process dies.
    busy_until text,
    -- When upkeep tries again by itself; null: never.
    next_attempt_at text,
    created_at text not null,
    updated_at text not null
) strict;
create index extraction_jobs_by_time
on extraction_jobs (project_id, user_id, created_at desc, id desc);
create index extraction_jobs_by_attempt
on extraction_jobs (next_attempt_at) where next_attempt_at is not null;

-- Facts that were stored before they could be compared with what was known.
create table uncompared (
    entry_id text primary key references entries (id) on delete cascade,
    project_id text not null
) strict, without rowid;

create index facts_by_digest
on entries (project_id, user_id, digest) where form = 'fact';
