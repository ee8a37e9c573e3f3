"""The loaders, on data of the same shape made up here."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from benchmarks import datasets
from benchmarks.datasets import Conversation, Suite

TALK = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I planted a pear tree. "},
            {
                "speaker": "Bo",
                "dia_id": "D1:2",
                "text": "Look!",
                "blip_caption": "a spade",
                "query": "the answer",
            },
        ],
    },
    "observation": {"session_1_observation": {"Ana": [["Ana planted a pear tree.", "D1:1"]]}},
    "qa": [
        {"question": "What did Ana plant?", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Bo show?", "evidence": ["D:1:2; D1:1"], "category": 1},
        {"question": "Nothing tells.", "evidence": ["D"], "category": 3},
    ],
}


@pytest.fixture
def locomo(tmp_path):
    (tmp_path / datasets.LOCOMO).write_text(json.dumps([TALK]))
    return tmp_path


def test_turns_include_captions_without_leaking_answers(locomo):
    (talk,) = datasets.locomo_turns(locomo).conversations

    first, second = talk.rows
    assert ("D1:1", "I planted a pear tree.", "Ana") == (first.id, first.text, first.speaker)
    assert "Look! [photo: a spade]" == second.text
    assert datetime(2023, 5, 8, 13, 56, tzinfo=UTC) == first.at


def test_malformed_evidence_is_read_and_missing_evidence_left_out(locomo):
    suite = datasets.locomo_turns(locomo)

    (talk,) = suite.conversations
    assert [{"D1:1"}, {"D1:1", "D1:2"}] == [set(q.gold) for q in talk.questions]
    assert {"open-domain": 1} == suite.left_out


def test_gold_of_the_notes_are_the_notes_of_the_evidence(locomo):
    suite = datasets.locomo_notes(locomo)

    (talk,) = suite.conversations
    assert [("F0", "Ana")] == [(row.id, row.speaker) for row in talk.rows]
    assert [{"F0"}, {"F0"}] == [set(q.gold) for q in talk.questions]


def test_beam_loads_user_messages_or_all(tmp_path):
    messages = [
        {"chat": 1, "id": 0, "batch": 1, "role": "user", "time": "March-15-2024", "text": "Hi"},
        {"chat": 1, "id": 1, "batch": 1, "role": "assistant", "time": None, "text": "Hello"},
    ]
    asked = {"chat": 1, "qid": "1-a", "category": "x", "question": "Who?", "evidence": [1]}
    (tmp_path / "beam100k_chats_01.jsonl").write_text("\n".join(map(json.dumps, messages)))
    (tmp_path / "beam100k_questions_01.jsonl").write_text(json.dumps(asked))

    (of_all,) = datasets.beam(tmp_path, "all").conversations
    of_user = datasets.beam(tmp_path, "user")

    assert [15, 15] == [row.at.day for row in of_all.rows]
    assert [("User", "Hi")] == [(r.speaker, r.text) for r in of_user.conversations[0].rows]
    assert {"x": 1} == of_user.left_out


def test_longmemeval_questions_have_separate_chats(tmp_path):
    entry = {
        "question_id": "e1",
        "question_type": "single",
        "question": "Which bike?",
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I bought a red bike.", "has_answer": True},
                {"role": "assistant", "content": "Nice."},
            ]
        ],
    }
    (tmp_path / "longmemeval_s.json").write_text(json.dumps([entry]))

    (talk,) = datasets.longmemeval(tmp_path).conversations

    assert {"s1:0"} == set(talk.questions[0].gold)
    assert ["User", "Assistant"] == [row.speaker for row in talk.rows]


def test_missing_data_set_error_names_the_paths(tmp_path):
    with pytest.raises(datasets.Absent, match=r"longmemeval: no longmemeval\*\.json .*--data"):
        datasets.longmemeval(tmp_path)


def test_dataset_halves_are_disjoint_and_complete():
    suite = Suite("s", tuple(Conversation(name, (), ()) for name in "abcde"))

    halves = [datasets.split(suite, part).conversations for part in ("tune", "report")]

    assert [list("ace"), list("bd")] == [[c.id for c in half] for half in halves]


@pytest.mark.parametrize("load", [datasets.harbour_talk, datasets.devbench])
def test_bundled_data_sets_are_complete(load):
    (talk,) = load(datasets.SHIPPED).conversations

    known = {row.id for row in talk.rows}
    assert len(talk.rows) == len(known)
    assert talk.questions
    assert all(question.gold <= known for question in talk.questions)
