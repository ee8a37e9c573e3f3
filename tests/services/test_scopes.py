"""Records of one user and what a call sees of them that names another user, or none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import HashingEmbedder

from memory_core import ALL_USERS, Scope, Settings, as_one_batch, open_memory
from memory_core.errors import ForbiddenError, NotFoundError, ValidationError

ANN, BEN = Scope(user_id="ann"), Scope(user_id="ben")
TAGS = ["tea", "cup", "green", "leaf", "pot"]


def shown(memory, **names):
    return json.dumps(
        [event.model_dump(mode="json") for event in memory.timelines.list_events(**names).events]
    )


def total(memory, **names):
    return memory.timelines.list_events(**names).total


def last_change(memory):
    """Return the newest entry of the audit log, of any user."""
    return memory.timelines.list_events(user_id=ALL_USERS, project_id="*", order="DESC").events[0]


def test_the_timeline_shows_records_of_a_user_only_to_calls_that_name_the_user(memory):
    memory.conversation.add_facts(["Ann has asthma."], ANN)
    memory.entries.write_entry(
        "Ann drinks tea", TAGS, category="other", context_text="Green", scope=ANN
    )
    memory.conversation.add_facts(["The yard is closed."], Scope())
    memory.graph.create_entity("Yard", "concept")

    everyone, ben, ann = (shown(memory, user_id=user) for user in ("", "ben", "ann"))

    assert "Ann" not in everyone + ben
    assert "The yard is closed." in everyone and "Yard" in everyone
    assert everyone == ben
    assert "Ann has asthma." in ann and "The yard is closed." in ann
    assert (2, 2, 5) == tuple(total(memory, user_id=user) for user in ("", "ben", "ann"))


def test_a_deleted_record_stays_hidden_from_other_users_in_the_timeline(memory):
    fact = memory.conversation.add_facts(["Ann has asthma."], ANN).facts[0]
    memory.conversation.delete_fact(fact.id, ANN)

    assert (0, 0, 2) == tuple(total(memory, user_id=user) for user in ("", "ben", "ann"))
    assert fact.id not in shown(memory, order="DESC") + shown(memory, kind="entry")


def test_the_owner_of_the_file_sees_the_timeline_of_all_users(memory):
    memory.conversation.add_facts(["Ann has asthma."], ANN)
    memory.conversation.add_facts(["Ben plays the harp."], BEN)

    assert 2 == total(memory, user_id=ALL_USERS)
    assert "asthma" in shown(memory, user_id=ALL_USERS)


@pytest.mark.parametrize("name", ["*", "all users", "ALL_USERS", "%", "ann' or '1'='1"])
def test_no_name_of_a_user_stands_for_all_users(memory, name):
    memory.conversation.add_facts(["Ann has asthma."], ANN)

    assert 0 == total(memory, user_id=name)
    assert 0 == memory.conversation.list_facts(Scope(user_id=name)).total


def test_the_timeline_of_an_agent_or_session_holds_only_its_records(memory):
    for agent, session in (("a", "s"), ("b", "s"), ("a", "t")):
        scope = Scope(user_id="ann", agent_id=agent, session_id=session)
        memory.conversation.add_facts([f"Ann spoke with {agent} in {session}."], scope)
    memory.graph.create_entity("Yard", "concept")

    seen = [total(memory, user_id="ann", agent_id="a"), total(memory, user_id="ann")]

    assert [2, 4] == seen
    assert 1 == total(memory, user_id="ann", agent_id="a", session_id="t")
    assert 0 == total(memory, user_id="ben", agent_id="a")


@pytest.mark.parametrize("dry_run", [True, False])
def test_undo_of_a_change_of_another_user_finds_nothing(memory, dry_run):
    done = memory.conversation.add_facts(["Ann has asthma."], ANN)
    seq = last_change(memory).seq

    for user in ("", "ben", "*"):
        with pytest.raises(NotFoundError) as by_seq:
            memory.undo.undo(seq=seq, dry_run=dry_run, user_id=user)
        with pytest.raises(NotFoundError) as by_batch:
            memory.undo.undo(done.batch_id, dry_run=dry_run, user_id=user)
        assert "asthma" not in f"{by_seq.value} {by_batch.value}"

    assert 1 == memory.conversation.list_facts(ANN).total
    assert {"entries": 1} == memory.undo.undo(seq=seq, user_id="ann").reverted


def test_undo_of_a_batch_of_several_users_leaves_the_records_of_others_alone(memory):
    with as_one_batch("both"):
        memory.conversation.add_facts(["Ann has asthma."], ANN)
        memory.conversation.add_facts(["Ben plays the harp."], BEN)
        memory.graph.create_entity("Yard", "concept")

    undone = memory.undo.undo("both", user_id="ben")

    assert {"entries": 1, "entities": 1} == undone.reverted
    assert (1, 1, []) == (undone.other_users_count, undone.left_alone_count, undone.left_alone)
    assert (1, 0) == (
        memory.conversation.list_facts(ANN).total,
        memory.conversation.list_facts(BEN).total,
    )


def test_the_owner_of_the_file_undoes_a_batch_of_several_users(memory):
    with as_one_batch("both"):
        memory.conversation.add_facts(["Ann has asthma."], ANN)
        memory.conversation.add_facts(["Ben plays the harp."], BEN)

    assert {"entries": 2} == memory.undo.undo("both", user_id=ALL_USERS).reverted


def test_records_are_not_written_for_all_users_at_once(memory):
    everyone = Scope(user_id=ALL_USERS)
    calls = (
        lambda: memory.conversation.add_facts(["Ann has asthma."], everyone),
        lambda: memory.conversation.add_messages("I ski.", everyone),
        lambda: memory.conversation.extract_facts("I ski.", everyone),
        lambda: memory.entries.write_entry("Tea", TAGS, category="other", scope=everyone),
        lambda: memory.groups.rebuild_groups(scope=everyone),
    )

    for call in calls:
        with pytest.raises(ValidationError, match="ALL_USERS"):
            call()


def test_purge_erases_records_of_a_user_only_when_the_user_is_named(memory):
    fact = memory.conversation.add_facts(["Ann has asthma."], ANN).facts[0]
    gone = memory.conversation.add_facts(["Ann likes tea."], ANN).facts[0]
    memory.conversation.delete_fact(gone.id, ANN)
    memory.graph.create_entity("Yard", "concept", id="yard")

    for user in ("", "ben", "*"):
        with pytest.raises(NotFoundError):
            memory.upkeep.purge_rows(
                [fact.id, gone.id], confirm="default", user_id=user, backup=False
            )
    some = memory.upkeep.purge_rows(
        ["yard", fact.id], confirm="default", user_id="ben", backup=False
    )

    assert ({"entities": 1}, [fact.id]) == (some.erased, some.unknown)
    assert 1 == memory.conversation.list_facts(ANN).total
    done = memory.upkeep.purge_rows(
        [fact.id, gone.id], confirm="default", user_id="ann", backup=False
    )
    assert ({"entries": 2}, 0) == (done.erased, memory.conversation.list_facts(ANN).total)


def test_clearing_a_project_leaves_the_records_of_users_not_named(memory):
    write_everything(memory, ANN)
    write_everything(memory, BEN)
    memory.graph.create_entity("Yard", "concept")
    before = everything_of(memory, "ann")

    cleared = memory.upkeep.clear_project("default", user_id="ben", backup=False)

    assert before == everything_of(memory, "ann")
    assert {"entities", "entries", "context_chunks"} == cleared.erased.keys()
    assert (0, 0) == (
        memory.conversation.list_facts(BEN).total,
        memory.conversation.list_jobs(BEN).total,
    )
    assert [] == memory.graph.list_entities().entities
    assert "Records of users" in cleared.notice and "ann" not in cleared.notice
    memory.upkeep.clear_project("default", user_id=ALL_USERS, backup=False)
    assert {} == everything_of(memory, "ann")


def test_facts_are_submitted_only_with_the_user_of_the_job(memory):
    job = memory.conversation.extract_facts("I have asthma.", ANN).job_id

    for scope in (Scope(), BEN, Scope(project_id="*"), Scope(project_id="other", user_id="ann")):
        with pytest.raises(NotFoundError) as refused:
            memory.conversation.submit_facts(job, ["Ann has a cold."], scope)
        assert "asthma" not in str(refused.value)

    assert 0 == memory.conversation.list_facts(ANN).total
    assert "stored" == memory.conversation.submit_facts(job, ["Ann has asthma."], ANN).outcome


@pytest.mark.parametrize("scope", [ANN, Scope(user_id="ann", session_id="s"), Scope(agent_id="a")])
def test_nothing_of_an_erased_user_is_left_in_the_file(memory, scope):
    canary = "zqcanaryzq"
    write_everything(memory, scope, canary)
    write_everything(memory, BEN)
    memory.search.search_memory(f"{canary} question", user_id="ann")
    memory.catch_up()
    memory.groups.rebuild_groups(0.1, scope=Scope(user_id=scope.user_id))
    before = everything_of(memory, "ben")
    assert canary.encode() in bytes_of(memory)

    erased = memory.conversation.delete_all_facts(scope, backup=False)

    assert (2, 4, 1) == (erased.facts, erased.entries, erased.jobs)
    assert canary.encode() not in bytes_of(memory)
    assert {} == everything_of(memory, scope.user_id or "ann")
    assert before == everything_of(memory, "ben")
    assert [] == memory.groups.list_groups(scope=Scope(user_id=scope.user_id)).groups
    assert "ok" == memory.health.health_report().text.integrity


def test_erasing_a_user_in_one_project_reports_what_is_left_elsewhere(memory):
    elsewhere = Scope(project_id="mill", user_id="ann")
    memory.conversation.add_facts(["Ann has asthma."], ANN)
    memory.conversation.add_facts(["Ann likes tea."], elsewhere)

    first = memory.conversation.delete_all_facts(ANN)
    second = memory.conversation.delete_all_facts(
        Scope(project_id="*", user_id="ann"), backup=False
    )

    assert "other projects were left: 1" in first.notice
    assert "1 backup" in first.notice and first.backup
    assert (1, 0) == (second.facts, memory.conversation.list_facts(elsewhere).total)
    assert "other projects" not in second.notice


def write_everything(memory, scope, mark="plain"):
    """Write each kind of record that belongs to a user, changed and deleted ones too."""
    for n in range(4):
        memory.entries.write_entry(
            f"{mark} entry {n} about tea",
            [mark, f"{mark}{n}", "cup", "leaf", "pot"],
            category="other",
            context_text=f"{mark} longer text",
            scope=scope,
        )
    first, _, third = memory.conversation.add_facts(
        [f"The {mark} has asthma.", f"Rope number 5 is {mark}.", f"Cats sleep at {mark}."], scope
    ).facts
    memory.conversation.update_fact(first.id, f"The {mark} is well.", scope)
    memory.conversation.delete_fact(third.id, scope)
    memory.conversation.extract_facts(f"I said {mark}.", scope)
    memory.conversation.search_facts(f"{mark} query", scope)
    memory.entry_query.query_entries(f"{mark} query", scope=scope)


def everything_of(memory, user):
    """Return every row of a user, and of the audit log, by table."""
    found = {}
    with memory.db.read() as connection:
        for table in ("entries", "context_chunks", "extraction_jobs", "searchables", "groups"):
            query = f"select * from {table} where user_id = :user order by id"
            found[table] = connection.execute(query, {"user": user}).fetchall()
        found["changes"] = connection.execute(
            "select * from changes where state ->> 'user_id' = :user order by seq", {"user": user}
        ).fetchall()
        found["tags"] = connection.execute(
            "select t.* from entry_tags t join entries e on e.id = t.entry_id "
            "where e.user_id = :user order by folded, entry_id",
            {"user": user},
        ).fetchall()
    return {table: rows for table, rows in found.items() if rows}


def bytes_of(memory):
    """Return the bytes of the memory file and of all that is made of it."""
    folder = memory.db.path.parent
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_an_export_through_a_scope_holds_only_its_records_and_says_so(memory):
    write_everything(memory, ANN, "annmark")
    write_everything(memory, BEN, "benmark")
    memory.graph.create_entity("Yard", "concept")

    exported = memory.interchange.export_project("ann.jsonl", user_id="ann")
    whole = memory.interchange.export_project("all.jsonl")
    written = Path(exported.path).read_text()

    assert "annmark" in written and "Yard" in written and "benmark" not in written
    assert "left out" in exported.notice and "" == whole.notice
    assert {6, 12} == {exported.rows["entries"], whole.rows["entries"]}
    assert "benmark" in Path(whole.path).read_text()


@pytest.mark.parametrize("form", ["export", "memory"])
def test_an_import_takes_only_records_of_the_named_user(memory, tmp_path, form):
    write_everything(memory, ANN, "annmark")
    write_everything(memory, BEN, "benmark")
    memory.graph.create_entity("Yard", "concept")
    path = memory.interchange.export_project("all.jsonl").path
    if form == "memory":
        path = memory.upkeep.create_backup(str(tmp_path / "whole.db")).path
    other = open_memory(
        Settings(knowledge_roots=(tmp_path,)),
        path=tmp_path / "other.db",
        embedder=HashingEmbedder(),
    )

    would = other.interchange.preview_import(path, user_id="ann")
    done = other.interchange.import_file(path, user_id="ann")
    owners = {each.user_id for each in other.fact_review.list_holders()}
    entities = other.graph.list_entities().entities
    other.close()

    assert ("benmark" in done.model_dump_json(), done.refused) == (False, [])
    assert "10 rows" in done.notice and done.added == would.added
    assert ({"ann"}, 1) == (owners, len(entities))


def test_restoring_a_backup_is_refused_if_it_holds_records_of_other_users(memory):
    memory.conversation.add_facts(["Ann has asthma."], ANN)
    memory.upkeep.create_backup("ann.db")
    ben = memory.conversation.add_facts(["Ben plays the harp."], BEN).facts[0]
    memory.conversation.delete_fact(ben.id, BEN)

    for user in ("", "ann", "ben", "*"):
        with pytest.raises(ForbiddenError, match="users"):
            memory.upkeep.restore_backup("ann.db", confirm="ann.db", user_id=user)
    assert 1 == memory.conversation.list_facts(ANN).total
    memory.conversation.delete_all_facts(BEN, backup=False)

    memory.upkeep.restore_backup("ann.db", confirm="ann.db", user_id="ann")

    assert 1 == memory.conversation.list_facts(ANN).total


def test_a_search_returns_common_records_and_those_of_the_named_user(memory):
    for name, scope in (("Ann", ANN), ("Ben", BEN), ("Someone", Scope())):
        memory.conversation.add_facts([f"{name} keeps the rope of the crane."], scope)
    memory.graph.create_entity("Rope", "concept", observations=["The rope of the crane is red."])

    def found(user):
        hits = memory.search.search_memory("rope of the crane", user_id=user).hits
        return {hit.text.split()[0] for hit in hits if hit.kind in ("fact", "observation")}

    assert {"Someone", "The"} == found("")
    assert {"Ann", "Someone", "The"} == found("ann")
    assert {"Ann", "Ben", "Someone", "The"} == found(ALL_USERS)
    assert 1 == len(memory.conversation.search_facts("rope", ANN).facts)


def test_projects_of_other_users_are_not_named(memory):
    memory.conversation.add_facts(["Ann has asthma."], Scope(project_id="clinic", user_id="ann"))
    memory.graph.create_entity("Yard", "concept", project_id="harbour")

    named = [memory.overview.list_projects(user_id=user) for user in ("", "ben", "ann", ALL_USERS)]

    assert [["harbour"], ["harbour"], ["clinic", "harbour"], ["clinic", "harbour"]] == named
    assert "clinic" not in memory.search.search_memory("tea", project_id="mill").notice
    assert "clinic" in memory.search.search_memory("tea", project_id="mill", user_id="ann").notice


def test_recall_without_a_user_says_that_facts_of_users_exist(memory):
    memory.conversation.add_facts(["Ann has asthma."], ANN)

    nameless = memory.conversation.search_facts("asthma")
    ben = memory.conversation.search_facts("asthma", BEN)
    ann = memory.conversation.search_facts("asthma", ANN)
    elsewhere = memory.conversation.search_facts("asthma", Scope(project_id="mill"))

    assert ([], True) == (nameless.facts, "user_id" in nameless.notice)
    assert "ann" not in nameless.notice.casefold() and "(1 user)" in nameless.notice
    assert ["", "", ""] == [each.notice for each in (ben, ann, elsewhere)]


def test_recall_without_a_scope_counts_the_scopes_that_hold_facts(memory):
    for user, agent, session in (("ann", "bot", "s1"), ("ann", "bot", "s2"), ("ben", "", "")):
        scope = Scope(user_id=user, agent_id=agent, session_id=session)
        memory.conversation.add_facts([f"A fact of {user} in {session}."], scope)

    notice = memory.conversation.search_facts("fact").notice

    assert "(2 users, 1 agent, 2 sessions)" in notice
    assert not {"ann", "ben", "bot", "s1"} & set(notice.casefold().replace(",", " ").split())


def test_recall_of_a_user_names_their_own_agents_and_sessions_only(memory):
    for user, session in (("ann", "morning"), ("ben", "evening")):
        scope = Scope(user_id=user, agent_id=f"{user}-bot", session_id=session)
        memory.conversation.add_facts([f"Asthma of {user}."], scope)
    wrong = Scope(user_id="ann", session_id="noon")

    notice = memory.conversation.search_facts("asthma", wrong).notice
    nameless = memory.conversation.search_facts("asthma", Scope(session_id="noon")).notice

    assert "'ann-bot'" in notice and "'morning'" in notice
    assert "ben" not in notice and "evening" not in notice
    assert "morning" not in nameless and "2 users" in nameless


def test_recall_of_a_user_without_facts_says_that_facts_of_no_user_exist(memory):
    memory.conversation.add_facts(["The yard is closed."])

    assert 'user_id=""' in memory.conversation.search_facts("yard", ANN).notice
    assert "" == memory.conversation.search_facts("yard").notice


def test_messages_of_a_session_belong_to_the_user_who_is_named(memory):
    memory.sessions.start_session("s1", "First")
    memory.sessions.start_session("s2", "Second")

    named = memory.sessions.end_session("s1", "Done.", messages="I have asthma.", user_id="ann")
    nameless = memory.sessions.end_session("s2", "Done.", messages="The yard is closed.")

    assert (0, 1) == (named.kept_messages, nameless.kept_messages)
    assert [named.job_id] == [job.id for job in memory.conversation.list_jobs(ANN).jobs]
    assert "asthma" not in shown(memory) + shown(memory, user_id="ben")
    assert "memory_extract_submit" in named.notice


def test_the_growth_of_the_graph_counts_no_records_of_users(memory):
    memory.conversation.add_facts(["Ann has asthma."], ANN)
    memory.graph.create_entity("Yard", "concept")

    assert [{"entities": 1}] == [day.created for day in memory.analytics.analyze_graph().growth]
    assert [{"entities": 1, "entries": 1}] == [
        day.created for day in memory.overview.growth_by_day()
    ]
