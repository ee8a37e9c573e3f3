from __future__ import annotations

import json

import pytest
from scripted import facts, merged, unreachable, use
from support import HashingEmbedder

from memory_core import Scope, Settings, open_memory

ALICE = {"user_id": "alice"}
BOB = {"user_id": "bob"}
TEA = "Alice drinks a cup of green tea with honey and lemon every morning before work"
SAID = [{"role": "user", "content": "I ski every winter."}]


def listed(tool_client, **arguments):
    return sorted(fact["content"] for fact in tool_client("list_memories", **arguments)["facts"])


def test_a_failing_model_is_reported_and_raises_nothing(memory, tool_client):
    use(memory, unreachable())

    done = tool_client("remember", messages=SAID, **ALICE)

    assert ("extraction_failed", []) == (done["outcome"], done["facts"])
    assert "LLM_UNAVAILABLE" in done["reason"]


def test_one_memory_a_fact_with_its_scope(memory, tool_client):
    use(memory, facts("Alice skis", "Alice lives in Oslo"), "[]")

    done = tool_client("remember", messages=SAID, agent_id="a", **ALICE)
    nothing = tool_client("remember", text="Hello!", **ALICE)

    found = tool_client("list_memories", **ALICE)["facts"]
    assert {fact["id"] for fact in done["facts"]} == {fact["id"] for fact in found}
    assert [("alice", "a")] * 2 == [(fact["user_id"], fact["agent_id"]) for fact in found]
    assert ("nothing_memorable", []) == (nothing["outcome"], nothing["facts"])


def test_submitted_facts_do_not_call_an_extractor(memory, tool_client):
    job = tool_client("memory_extract", messages=SAID, **ALICE)
    model = use(memory)

    done = tool_client(
        "memory_extract_submit", job_id=job["job_id"], facts=[{"content": "Alice skis"}], **ALICE
    )

    assert ("stored", []) == (done["outcome"], model.asked)
    assert "content" in job["contract"]


def test_a_closed_memory_says_so(memory, tool_client):
    calls = {
        "remember": {"text": "I ski."},
        "memory_extract": {"text": "I ski."},
        "memory_extract_submit": {"job_id": "j", "facts": ["Alice skis"]},
        "list_extraction_jobs": {},
        "recall": {"query": "skis"},
        "list_memories": {},
        "update_fact": {"id": "f", "content": "Alice swims"},
        "forget": {"id": "f"},
        "forget_everything": {"confirm": "alice", **ALICE},
    }
    memory.close()

    codes = {name: tool_client.result(name, **given).meta["code"] for name, given in calls.items()}

    assert dict.fromkeys(calls, "NOT_INITIALISED") == codes


def test_recall_is_ordered_bounded_and_scoped(tool_client):
    for text in ("Alice plays jazz on the piano", "Alice lives in Oslo", "Alice eats no meat"):
        tool_client("remember", text=text, **ALICE)
    tool_client("remember", text="Bob plays jazz on the drums", **BOB)

    found = tool_client("recall", query="Which music does she play?", **ALICE)["facts"]

    scores = [fact["score"] for fact in found]
    assert "Alice plays jazz on the piano" == found[0]["content"]
    assert sorted(scores, reverse=True) == scores and 0 <= min(scores) <= max(scores) <= 1
    assert (3, {"alice"}) == (len(found), {fact["user_id"] for fact in found})
    assert [] == tool_client("recall", query="Which music does she play?")["facts"]


def test_deletes_are_limited_to_the_fact_or_scope(tool_client):
    one = tool_client("remember", text="Alice skis", **ALICE)["facts"][0]["id"]
    tool_client("remember", text="Alice plays the piano", **ALICE)
    tool_client("remember", text="Bob skis", **BOB)

    assert "user_id" in tool_client.refusal("forget", id=one)
    tool_client("forget", id=one, **ALICE)
    assert ["Alice plays the piano"] == listed(tool_client, **ALICE)
    assert "'alice'" in tool_client.refusal("forget_everything", confirm="yes", **ALICE)
    gone = tool_client("forget_everything", confirm="alice", **ALICE)

    assert (1, [], ["Bob skis"]) == (
        gone["facts"],
        listed(tool_client, **ALICE),
        listed(tool_client, **BOB),
    )


def test_an_update_keeps_id_and_age(tool_client, clock):
    id = tool_client("remember", text="Alice lives in Oslo", **ALICE)["facts"][0]["id"]
    (before,) = tool_client("list_memories", **ALICE)["facts"]
    clock.advance(minutes=1)

    after = tool_client("update_fact", id=id, content="Alice plays the violin", **ALICE)

    assert (id, before["created_at"]) == (after["id"], after["created_at"])
    assert after["updated_at"] > before["updated_at"]
    assert ["Alice plays the violin"] == listed(tool_client, **ALICE)
    assert id == tool_client("recall", query="musical instrument", **ALICE)["facts"][0]["id"]


def test_stored_facts_are_not_stored_twice(tool_client):
    first = tool_client("remember", text=TEA, **ALICE)
    again = tool_client("remember", text=TEA, **ALICE)
    other = tool_client("remember", text=TEA, **BOB)

    assert ["stored", "duplicate", "stored"] == [each["outcome"] for each in (first, again, other)]
    assert first["facts"][0]["id"] == again["facts"][0]["id"]


def test_a_merge_calls_the_model_once(memory, tool_client):
    tool_client("remember", text=TEA, **ALICE)
    more = f"{TEA} on Sundays"
    model = use(memory, facts(more), merged(more))

    done = tool_client("remember", messages=SAID, **ALICE)

    assert (2, "merged", [more]) == (
        len(model.asked),
        done["facts"][0]["outcome"],
        listed(tool_client, **ALICE),
    )
    tool_client("undo", batch_id=done["batch_id"], **ALICE)
    assert [TEA] == listed(tool_client, **ALICE)


def test_a_generalisation_never_replaces(tool_client):
    tool_client("remember", text=f"{TEA} with her sister Eve", **ALICE)

    done = tool_client("remember", text=f"{TEA} with her sister", **ALICE)

    assert "duplicate" == done["outcome"]
    assert [f"{TEA} with her sister Eve"] == listed(tool_client, **ALICE)


def test_a_failed_extraction_is_not_reported_as_stored(memory, tool_client):
    use(memory, "I would rather not.")

    done = tool_client("remember", messages=SAID, **ALICE)

    assert "stored" not in (done["outcome"], *(fact["outcome"] for fact in done["facts"]))
    assert [] == listed(tool_client, status="all", **ALICE)
    (job,) = tool_client("list_extraction_jobs", status="failed", **ALICE)["jobs"]
    assert "user_id" in tool_client.refusal("list_extraction_jobs", job_id=job["id"])
    (whole,) = tool_client("list_extraction_jobs", job_id=job["id"], **ALICE)["jobs"]
    assert "I ski every winter." == whole["messages"][0]["content"]
    tool_client(
        "memory_extract_submit", job_id=job["id"], facts=[{"content": "Alice skis"}], **ALICE
    )
    assert ["Alice skis"] == listed(tool_client, **ALICE)


def test_recall_finds_few_facts_of_one_user_among_many(tmp_path, connect):
    memory = open_memory(
        Settings(dedup_strategy="off"), path=tmp_path / "m.db", embedder=HashingEmbedder()
    )
    own = [f"Alice likes the {word} best" for word in ("sea", "sun", "moon", "wind", "rain")]
    # In one transaction, for a thousand take their time.
    with memory.db.act("a test"):
        for start in range(0, 1000, 100):
            others = [f"Bob likes fact {start + n} of the sea and the sun" for n in range(100)]
            memory.conversation.add_facts(others, Scope(user_id="bob"))
    memory.conversation.add_facts(own, Scope(user_id="alice"))

    found = connect(memory)("recall", query="Who likes the sea, the sun and the wind?", **ALICE)
    bobs = memory.conversation.list_facts(Scope(user_id="bob")).total
    memory.close()

    assert 1000 == bobs
    assert sorted(own) == sorted(fact["content"] for fact in found["facts"])


def test_an_empty_scope_does_not_touch_rows_of_a_user(tool_client):
    tool_client("remember", text=TEA, **ALICE)

    assert [] == listed(tool_client)
    assert [] == tool_client("recall", query="tea")["facts"]
    own = tool_client("remember", text=f"{TEA} on Sundays")
    assert "stored" == own["outcome"]
    assert 1 == tool_client("forget_everything", confirm="default")["facts"]
    assert [TEA] == listed(tool_client, **ALICE)


@pytest.mark.parametrize(
    ("answer", "stored", "refused"),
    [
        ("There is nothing to extract here, sorry.", [], 0),
        ('```json\n["Alice skis"]\n```', ["Alice skis"], 0),
        ('{"facts": [{"fact": "Alice skis"}]}', ["Alice skis"], 0),
        ('[{"content": "Alice skis"}, {"content": "Alice sw', ["Alice skis"], 1),
        (json.dumps(["Alice skis", 7, None, "x" * 5000]), ["Alice skis"], 3),
    ],
)
def test_only_valid_facts_are_stored_and_others_reported(
    memory, tool_client, answer, stored, refused
):
    use(memory, answer)

    done = tool_client("remember", messages=SAID, **ALICE)

    assert (stored, refused) == (listed(tool_client, **ALICE), len(done["refused"]))
    assert ("stored" if stored else "extraction_failed") == done["outcome"]


def test_updates_supersede_and_negations_conflict(tool_client):
    ginger = TEA.replace("lemon", "ginger")
    never = ginger.replace("drinks", "never drinks")

    done = [tool_client("remember", text=text, **ALICE)["outcome"] for text in (TEA, ginger, never)]

    assert ["stored"] * 3 == done
    assert [never] == listed(tool_client, **ALICE)
    assert sorted([TEA, ginger]) == listed(tool_client, status="superseded", **ALICE)


def test_remember_without_extractor_stores_text_with_notice(tool_client):
    done = tool_client("remember", messages=SAID, **ALICE)

    assert ("stored", "") == (done["outcome"], done["job_id"])
    assert "stored unchanged" in done["notice"]
    assert ["I ski every winter."] == listed(tool_client, **ALICE)
    assert "either text or messages" in tool_client.refusal("remember", **ALICE)


def test_remember_stores_no_turns_of_the_assistant_as_facts(tool_client):
    said = [*SAID, {"role": "assistant", "content": "I like the snow."}]

    for infer in (True, False):
        tool_client("remember", messages=said, infer=infer, **ALICE)

    assert ["I ski every winter."] == listed(tool_client, **ALICE)


def test_long_fact_and_job_lists_are_paged(tmp_path, connect):
    memory = open_memory(
        Settings(dedup_strategy="off"), path=tmp_path / "m.db", embedder=HashingEmbedder()
    )
    tool_client, alice = connect(memory), Scope(user_id="alice")
    words = "Überlänge " * 90
    memory.conversation.add_facts([f"{n} {words}" for n in range(30)], alice)
    spoken = [{"role": "user", "content": f"{n} {words * 8}"} for n in range(8)]
    job_id = memory.conversation.extract_facts(spoken, alice).job_id
    memory.conversation.submit_facts(job_id, [f"{n} {words}" for n in range(30, 60)])

    def read(tool, part, **arguments):
        found, cursor = [], ""
        while True:
            page = tool_client(tool, cursor=cursor, **arguments, **ALICE)
            found += part(page)
            cursor = page["cursor"]
            if not cursor:
                return found

    facts_read = read("list_memories", lambda page: page["facts"], limit=500)
    jobs_read = read("list_extraction_jobs", lambda page: page["jobs"])
    heard = read("list_extraction_jobs", lambda page: page["jobs"][0]["messages"], job_id=job_id)
    recalled = tool_client("recall", query="Überlänge", limit=100, **ALICE)
    memory.close()

    assert (60, 1, 8) == (len(facts_read), len(jobs_read), len(heard))
    assert "left out" in recalled["notice"]


def test_submitted_facts_accept_only_the_project_of_their_job(tool_client):
    said = [{"role": "user", "content": "I live in Oslo."}]
    facts = [{"content": "Ann lives in Oslo."}]
    jobs = [
        tool_client("memory_extract", messages=said, project_id="shop", user_id=user)["job_id"]
        for user in ("ann", "bob")
    ]
    first = {"job_id": jobs[0], "facts": facts, "user_id": "ann"}

    refusal = tool_client.refusal("memory_extract_submit", **first, project_id="blog")
    stored = [
        tool_client("memory_extract_submit", **first, project_id=" shop ")["outcome"],
        tool_client("memory_extract_submit", job_id=jobs[1], facts=facts, user_id="bob")["outcome"],
    ]

    assert "There is no extraction job" in refusal
    assert ["stored", "stored"] == stored
