-- Messages that one session leaves for another.
create table bottles (
    id text primary key,
    project_id text not null,
    message text not null,
    priority integer not null check (priority between 0 and 3),
    recipient text not null default '',
    author text not null,
    author_session_id text not null default '',
    expires_at text,
    acknowledged_at text,
    acknowledged_by text not null default '',
    created_at text not null
) strict;
create index bottles_by_priority on bottles (project_id, priority desc, created_at desc, id desc);
