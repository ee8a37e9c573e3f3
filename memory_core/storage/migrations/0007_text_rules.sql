-- The search documents up to this id follow the current text rules (rules/text); null: all do.
-- A migration that changes the rules sets it to 0.
create table full_text_state (
    one integer primary key check (one = 1),
    reindexed_to integer
) strict;
insert into full_text_state (one, reindexed_to)
select 1, case when exists (select 1 from searchables) then 0 end;
