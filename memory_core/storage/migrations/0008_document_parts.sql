-- A large text is written in several transactions (services/documents/document_writer.py). The
-- text of a document is the chunks at the positions from first_position on, chunk_count of them.
alter table documents add column first_position integer not null default 0;
-- The end of the positions that a writer has reserved last.
alter table documents add column reserved integer not null default 0;
-- 1 while there may be chunks that are not part of the text.
alter table documents add column unfinished integer not null default 0;

create index documents_unfinished on documents (id) where unfinished = 1;
