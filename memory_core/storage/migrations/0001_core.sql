-- Which store this is. A restored or imported file gets a new uuid, so that no
-- index of the old one is taken for its own.
create table store (
    one integer primary key check (one = 1),
    uuid text not null,
    created_at text not null,
    embedding_model text not null default '',
    embedding_dimension integer not null default 0
) strict;
insert into store (one, uuid, created_at)
values (1, lower(hex(randomblob(16))), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- Knowledge: every table from here to the journal is tracked (tracked.py).

create table entities (
    id text primary key,
    project_id text not null,
    key text not null,
    folded_key text not null,
    name text not null,
    -- JSON array: the folded name, then the folded aliases (rules/text.fold).
    folded_names text not null check (json_type(folded_names) = 'array'),
    node_type text not null,
    status text not null default 'active' check (status in ('active', 'archived')),
    properties text not null default '{}' check (json_type(properties) = 'object'),
    aliases text not null default '[]' check (json_type(aliases) = 'array'),
    certainty text not null default 'confirmed',
    occurred_at text,
    archived_at text,
    archive_reason text not null default '',
    created_at text not null,
    updated_at text not null,
    unique (project_id, folded_key)
) strict;
create index entities_by_name on entities (project_id, status, name, id);
create index entities_by_type on entities (project_id, node_type, id);

create table observations (
    id text primary key,
    project_id text not null,
    entity_id text not null references entities (id) on delete cascade,
    content text not null,
    -- Of the content, to find an identical one without comparing long texts.
    digest text not null,
    status text not null default 'active' check (status in ('active', 'superseded')),
    superseded_by text,
    certainty text not null default 'confirmed',
    source text not null default '',
    session_id text not null default '',
    occurred_at text,
    valid_from text,
    valid_to text,
    created_at text not null,
    updated_at text not null
) strict;
create index observations_by_entity on observations (entity_id, created_at, id);
create unique index observations_by_digest
on observations (entity_id, digest) where status = 'active';

create table relations (
    id text primary key,
    project_id text not null,
    from_id text not null references entities (id) on delete cascade,
    to_id text not null references entities (id) on delete cascade,
    relationship_type text not null,
    weight real not null default 1.0,
    confidence real not null default 1.0 check (confidence between 0 and 1),
    properties text not null default '{}' check (json_type(properties) = 'object'),
    source text not null default '',
    valid_from text,
    valid_to text,
    created_at text not null,
    updated_at text not null,
    unique (from_id, to_id, relationship_type)
) strict;
create index relations_by_target on relations (to_id);
create index relations_by_project on relations (project_id, id);

create table documents (
    id text primary key,
    project_id text not null,
    title text not null,
    folded_title text not null,
    source text not null default '',
    media_type text not null default 'text/plain',
    digest text not null,
    characters integer not null,
    chunk_count integer not null,
    created_at text not null,
    updated_at text not null,
    unique (project_id, folded_title)
) strict;

-- The text of a document is its chunks, joined in order of position.
create table chunks (
    id text primary key,
    project_id text not null,
    document_id text not null references documents (id) on delete cascade,
    position integer not null,
    text text not null,
    created_at text not null,
    unique (document_id, position)
) strict;

-- Derived from entities by trigger: who is called what.
create table entity_names (
    project_id text not null,
    folded text not null,
    entity_id text not null references entities (id) on delete cascade,
    primary key (project_id, folded, entity_id)
) strict, without rowid;
create index entity_names_by_entity on entity_names (entity_id);
create index entity_names_by_name on entity_names (folded);

create trigger entities_named after insert on entities begin
    insert into entity_names (project_id, folded, entity_id)
    select distinct new.project_id, value, new.id from json_each(new.folded_names);
end;
create trigger entities_renamed after update of folded_names, project_id on entities
when old.folded_names is not new.folded_names or old.project_id is not new.project_id
begin
    delete from entity_names where entity_id = old.id;
    insert into entity_names (project_id, folded, entity_id)
    select distinct new.project_id, value, new.id from json_each(new.folded_names);
end;

-- Who is writing, and why: one row, set at the start of every write.
create table change_context (
    one integer primary key check (one = 1),
    at text not null,
    actor text not null,
    cause text not null,
    batch_id text not null
) strict;
insert into change_context values (1, '', '', '', '');

-- The journal: every change ever made to a tracked table. Never updated; only
-- purge and clear delete from it.
create table changes (
    seq integer primary key autoincrement,
    at text not null,
    actor text not null,
    cause text not null,
    kind text not null,
    row_id text not null,
    subject_id text not null,
    object_id text,
    op text not null check (op in ('created', 'changed', 'deleted')),
    project_id text not null,
    batch_id text not null,
    state text check ((state is null) = (op = 'deleted'))
) strict;
create index changes_by_row on changes (kind, row_id, seq);
create index changes_by_subject on changes (subject_id, seq);
create index changes_by_object on changes (object_id, seq) where object_id is not null;
create index changes_by_time on changes (at, seq);
create index changes_by_project on changes (project_id, seq);
create index changes_by_batch on changes (batch_id, seq);
-- Who had a key once, also after its deletion.
create index changes_by_key on changes (project_id, state ->> 'folded_key', seq)
where kind = 'entities' and op = 'created';

-- The newest text of everything searchable, what filters need to know of it,
-- and the change that made it so. An id is never given twice.
create table searchables (
    id integer primary key autoincrement,
    kind text not null,
    row_id text not null,
    subject_id text not null,
    project_id text not null,
    user_id text not null default '',
    agent_id text not null default '',
    session_id text not null default '',
    occurred_at text not null default '',
    active integer not null,
    text text,
    seq integer not null,
    unique (kind, row_id)
) strict;
create index searchables_by_seq on searchables (seq);
create index searchables_by_subject on searchables (subject_id);
create index searchables_by_row on searchables (project_id, kind, row_id);
create index searchables_by_scope
on searchables (project_id, active, kind, id) where text is not null;
create index searchables_by_session
on searchables (session_id, project_id, user_id, agent_id, occurred_at, id)
where session_id <> '' and text is not null;

-- What follows the journal inside the write (lexical.py). A piece is a stretch
-- of one searchable's text; its id is the searchable's times 2^24 plus its number.
create table pieces (
    id integer primary key,
    start integer not null,
    length integer not null,
    digest blob not null
) strict;
create index pieces_by_digest on pieces (digest);

-- The active rows of each session, in the scope they belong to, as the full text has
-- placed them: from here a row gets the words of its neighbours.
create table session_rows (
    id integer primary key,
    session text not null,
    occurred_at text not null,
    short integer not null
) strict;
create index session_rows_in_order on session_rows (session, occurred_at, id, short);

-- How many rows a session has, for a search meets hundreds of sessions at once.
create table session_sizes (
    session text primary key,
    size integer not null
) strict, without rowid;
create trigger session_grown after insert on session_rows begin
    insert into session_sizes (session, size) values (new.session, 1)
    on conflict (session) do update set size = size + 1;
end;
create trigger session_shrunk after delete on session_rows begin
    update session_sizes set size = size - 1 where session = old.session;
    delete from session_sizes where session = old.session and size = 0;
end;

-- FTS5 folds diacritics and stems; marks and symbols are letters to it, for
-- without them Hindi falls apart and C++ is C. Terms come already taken apart.
create virtual table piece_terms using fts5 (
    own,
    day,
    context,
    content = '',
    contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* S* Co' tokenchars '#'"
);

-- Vectors of record, float16, by model and by the digest of what was embedded.
create table embeddings (
    id integer primary key,
    model text not null,
    digest blob not null,
    vector blob not null,
    unique (model, digest)
) strict;

-- Pieces that the current model has yet to embed.
create table unembedded (
    piece_id integer primary key
) strict;

-- What a vector index must look at again: pieces that came, went, or got a vector.
create table vector_log (
    seq integer primary key autoincrement,
    piece_id integer not null
) strict;

-- One row of counters, kept by the triggers below, so that asking costs nothing.
create table vector_state (
    one integer primary key check (one = 1),
    pieces integer not null,
    unembedded integer not null,
    log_floor integer not null
) strict;
insert into vector_state values (1, 0, 0, 0);

create trigger pieces_added after insert on pieces begin
    update vector_state set pieces = pieces + 1;
    insert into unembedded (piece_id)
    select new.id where not exists (
        select 1 from embeddings, store
        where embeddings.model = store.embedding_model
            and embeddings.digest = new.digest
    );
    insert into vector_log (piece_id)
    select new.id where not exists (select 1 from unembedded where piece_id = new.id);
end;
create trigger pieces_removed after delete on pieces begin
    update vector_state set pieces = pieces - 1;
    insert into vector_log (piece_id)
    select old.id where not exists (select 1 from unembedded where piece_id = old.id);
    delete from unembedded where piece_id = old.id;
end;
create trigger unembedded_added after insert on unembedded begin
    update vector_state set unembedded = unembedded + 1;
end;
create trigger unembedded_removed after delete on unembedded begin
    update vector_state set unembedded = unembedded - 1;
end;
create trigger embeddings_added after insert on embeddings
when new.model = (select embedding_model from store) begin
    insert into vector_log (piece_id) select id from pieces where digest = new.digest;
    delete from unembedded
    where piece_id in (select id from pieces where digest = new.digest);
end;

-- Counters and timings are not knowledge: untracked, written after the answer.
create table usage (
    kind text not null,
    row_id text not null,
    retrievals integer not null,
    last_retrieved_at text not null,
    primary key (kind, row_id)
) strict, without rowid;

create table traces (
    id integer primary key autoincrement,
    at text not null,
    operation text not null,
    actor text not null,
    project_id text not null,
    milliseconds real not null,
    stages text not null default '{}',
    query text not null default '',
    hits integer,
    cached integer,
    channels text not null default '',
    error text not null default ''
) strict;
create index traces_by_time on traces (at, operation);

-- Who may run a background job: one holder until the lease expires.
create table leases (
    name text primary key,
    holder text not null,
    expires_at text not null
) strict, without rowid;
