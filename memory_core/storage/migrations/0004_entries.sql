-- What is remembered in a sentence with tags, and facts of conversations.
create table entries (
    id text primary key,
    project_id text not null,
    user_id text not null default '',
    agent_id text not null default '',
    session_id text not null default '',
    -- An entry has five tags; a fact is one sentence of what was said.
    form text not null default 'entry' check (form in ('entry', 'fact')),
    summary text not null check (summary <> ''),
    tags text not null default '[]' check (json_type(tags) = 'array'),
    folded_tags text not null default '[]' check (json_type(folded_tags) = 'array'),
    category text not null default 'other'
    check (category in ('conversation', 'knowledge', 'document', 'preference', 'other')),
    metadata text not null default '{}' check (json_type(metadata) = 'object'),
    is_time_sensitive integer not null default 0 check (is_time_sensitive in (0, 1)),
    expires_at text,
    status text not null default 'active'
    check (status in ('active', 'duplicate', 'superseded')),
    -- Ids of other entries; no references, for the past outlives its rows.
    duplicate_of text,
    superseded_by text,
    -- Of the summary and the tags in canonical form: what its merged vector goes by.
    digest text not null,
    occurred_at text,
    created_at text not null,
    updated_at text not null
) strict;
create index entries_by_time on entries (project_id, user_id, created_at desc, id desc);
create index entries_by_expiry on entries (expires_at) where expires_at is not null;
create index entries_by_digest on entries (digest);

-- Longer text that belongs to an entry: joined in order of position it is the text.
create table context_chunks (
    id text primary key,
    project_id text not null,
    user_id text not null default '',
    agent_id text not null default '',
    session_id text not null default '',
    entry_id text not null references entries (id) on delete cascade,
    position integer not null,
    text text not null,
    created_at text not null,
    unique (entry_id, position)
) strict;

-- Derived from entries by trigger: which entry has which tag.
create table entry_tags (
    project_id text not null,
    folded text not null,
    entry_id text not null references entries (id) on delete cascade,
    primary key (project_id, folded, entry_id)
) strict, without rowid;
create index entry_tags_by_entry on entry_tags (entry_id);

create trigger entries_tagged after insert on entries begin
    insert into entry_tags (project_id, folded, entry_id)
    select distinct new.project_id, value, new.id from json_each(new.folded_tags);
end;
create trigger entries_retagged after update of folded_tags, project_id on entries
when old.folded_tags is not new.folded_tags or old.project_id is not new.project_id
begin
    delete from entry_tags where entry_id = old.id;
    insert into entry_tags (project_id, folded, entry_id)
    select distinct new.project_id, value, new.id from json_each(new.folded_tags);
end;

-- Which merged vector each entry has; its id is the searchable's of the entry.
create table merged (
    id integer primary key,
    digest text not null
) strict;
create index merged_by_digest on merged (digest);

-- Merged vectors of record, float16 at length 1, with the length they had; beside them
-- the vector of the summary alone, by which duplicates are found.
create table merged_vectors (
    id integer primary key,
    model text not null,
    digest text not null,
    vector blob not null,
    norm real not null,
    summary blob not null,
    unique (model, digest)
) strict;

-- Entries whose merged vector the current model has yet to make.
create table unmerged (
    id integer primary key
) strict;

create table merged_log (
    seq integer primary key autoincrement,
    id integer not null
) strict;

create table merged_state (
    one integer primary key check (one = 1),
    entries integer not null,
    unmerged integer not null,
    log_floor integer not null
) strict;
insert into merged_state values (1, 0, 0, 0);

create trigger searchables_entry_added after insert on searchables
when new.kind = 'entries' and new.text is not null begin
    insert into merged (id, digest)
    select new.id, digest from entries where id = new.row_id and form = 'entry';
end;
create trigger searchables_entry_changed after update on searchables
when new.kind = 'entries' begin
    delete from merged
    where id = new.id and (
        new.text is null
        or digest is not (select digest from entries where id = new.row_id)
    );
    insert into merged (id, digest)
    select new.id, digest from entries
    where new.text is not null and id = new.row_id and form = 'entry'
        and not exists (select 1 from merged where id = new.id);
end;
create trigger searchables_entry_removed after delete on searchables
when old.kind = 'entries' begin
    delete from merged where id = old.id;
end;

create trigger merged_added after insert on merged begin
    update merged_state set entries = entries + 1;
    insert into unmerged (id)
    select new.id where not exists (
        select 1 from merged_vectors v, store
        where v.model = store.embedding_model and v.digest = new.digest
    );
    insert into merged_log (id)
    select new.id where not exists (select 1 from unmerged where id = new.id);
end;
create trigger merged_removed after delete on merged begin
    update merged_state set entries = entries - 1;
    insert into merged_log (id)
    select old.id where not exists (select 1 from unmerged where id = old.id);
    delete from unmerged where id = old.id;
    -- Of a text that is gone, its vectors go as well.
    delete from merged_vectors
    where digest = old.digest and not exists (select 1 from merged where digest = old.digest);
end;
create trigger unmerged_added after insert on unmerged begin
    update merged_state set unmerged = unmerged + 1;
end;
create trigger unmerged_removed after delete on unmerged begin
    update merged_state set unmerged = unmerged - 1;
end;
create trigger merged_vectors_added after insert on merged_vectors
when new.model = (select embedding_model from store) begin
    insert into merged_log (id) select id from merged where digest = new.digest;
    delete from unmerged where id in (select id from merged where digest = new.digest);
end;
-- Another model: every entry waits for a vector of it, unless there is one already.
create trigger store_model_changed after update of embedding_model on store
when old.embedding_model is not new.embedding_model begin
    delete from unmerged;
    insert into unmerged (id)
    select m.id from merged m where not exists (
        select 1 from merged_vectors v where v.model = new.embedding_model and v.digest = m.digest
    );
    insert into merged_log (id) values (0);
    update merged_state set log_floor = (select max(seq) from merged_log);
end;

-- Groups of entries, by exact project and user. Derived: a rebuild makes them anew and
-- keeps the ids of those that are still much the same.
create table groups (
    id text primary key,
    project_id text not null,
    user_id text not null default '',
    label text not null,
    size integer not null,
    created_at text not null,
    updated_at text not null
) strict;
create index groups_by_size on groups (project_id, user_id, size desc, id);

create table group_members (
    group_id text not null references groups (id) on delete cascade,
    entry_id text not null references entries (id) on delete cascade,
    primary key (group_id, entry_id)
) strict, without rowid;
create index group_members_by_entry on group_members (entry_id);

-- How the groups of each project and user were last made, and from what.
create table group_builds (
    project_id text not null,
    user_id text not null,
    built_at text not null,
    seq integer not null,
    entries integer not null,
    k integer not null,
    threshold real not null,
    cliques integer not null,
    partial text not null default '',
    milliseconds real not null default 0,
    primary key (project_id, user_id)
) strict, without rowid;
