-- Copies of the vectors elsewhere, and how far each has followed the vector log. Not
-- knowledge: a row that is lost costs a copy made anew.
create table mirrors (
    name text not null,
    source text not null check (source in ('pieces', 'entries')),
    -- What it is a copy of, and where: of anything else it is made anew.
    address text not null,
    uuid text not null,
    model text not null,
    -- The last entry of the log that it has followed.
    position integer not null,
    -- While it is made anew: vectors up to this id are there. Null: all were.
    built_to integer,
    updated_at text not null,
    -- Why the last attempt failed; empty if it did not.
    failure text not null default '',
    primary key (name, source)
) strict, without rowid;
