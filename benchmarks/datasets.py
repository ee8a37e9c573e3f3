"""
The conversations and questions that retrieval is measured on, in one form.

1. A row is what a caller would store: one turn, one message or one note, filed
   under its speaker. Fields that a running memory could not have (answers,
   summaries, the search phrase behind a photo) never get into a row.
2. A question's gold is the ids of the rows that hold its evidence. A question
   without evidence among the rows is left out and counted.
3. "tune" and "report" are two halves by conversation: what was chosen on one
   must hold on the other.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

Split = Literal["dev", "tune", "report"]
Messages = Literal["user", "all"]

LOCOMO = "locomo_dev.json"
BEAM_CHATS = "beam100k_chats_*.jsonl"
BEAM_QUESTIONS = "beam100k_questions_*.jsonl"
DEVBENCH = "devbench_dataset.json"
LONGMEMEVAL = "longmemeval*.json"
HARBOUR_TALK = "harbour_talk.json"

# What the repository itself carries; everything else is read from --data.
SHIPPED = Path(__file__).parent / "data"

LOCOMO_CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
# The person is swapped in these questions: reported apart, never part of the headline.
ADVERSARIAL = "adversarial"


@dataclass(frozen=True)
class Row:
    """One thing to remember: its text, and who said it, when, in which session."""

    id: str
    text: str
    speaker: str
    session: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Question:
    """A query, its kind, and the ids of the rows that answer it."""

    id: str
    text: str
    category: str
    gold: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    """Rows that belong together and the questions about them."""

    id: str
    rows: tuple[Row, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Suite:
    """A data set as it is measured."""

    name: str
    conversations: tuple[Conversation, ...]
    # Who "I" and "my" are in a question; empty if unknown.
    user: str = ""
    # Whether rows are turns of a talk; plain cosine then embeds "speaker: text", as is usual.
    is_talk: bool = False
    # Categories reported apart from the headline figure.
    apart: frozenset[str] = frozenset()
    left_out: Counter[str] = field(default_factory=Counter)


class Absent(Exception):
    """A data set is not on this machine."""

    def __init__(self, suite: str, pattern: str, directory: Path) -> None:
        super().__init__(f"{suite}: no {pattern} in {directory}. Name its folder with --data.")


def split(suite: Suite, part: Split) -> Suite:
    """Keep every second conversation: the first, third... to tune, the others to report."""
    if part == "dev" or len(suite.conversations) < 2:
        return suite
    first = 0 if part == "tune" else 1
    return replace(suite, conversations=suite.conversations[first::2])


def locomo_turns(directory: Path) -> Suite:
    """Each turn of a LoCoMo conversation is a row, its photo's caption included."""
    left_out: Counter[str] = Counter()
    conversations = [
        Conversation(
            sample["sample_id"],
            rows := tuple(_locomo_turns(sample)),
            tuple(_locomo_questions(sample, _by_own_id(rows), left_out)),
        )
        for sample in _locomo(directory)
    ]
    return Suite(
        "locomo-turns",
        tuple(conversations),
        is_talk=True,
        apart=frozenset({ADVERSARIAL}),
        left_out=left_out,
    )


def locomo_notes(directory: Path) -> Suite:
    """Each third-person note is a row filed under its person; gold are an evidence turn's notes."""
    left_out: Counter[str] = Counter()
    conversations = []
    for sample in _locomo(directory):
        notes_of: dict[str, list[str]] = defaultdict(list)
        rows = tuple(_locomo_notes(sample, notes_of))
        questions = tuple(_locomo_questions(sample, notes_of, left_out))
        conversations.append(Conversation(sample["sample_id"], rows, questions))
    return Suite(
        "locomo-notes",
        tuple(conversations),
        apart=frozenset({ADVERSARIAL}),
        left_out=left_out,
    )


def beam(directory: Path, messages: Messages = "user") -> Suite:
    """Each message of a BEAM chat is a row; "user" keeps those of the user alone."""
    rows: dict[int, list[Row]] = defaultdict(list)
    for message in _lines(directory, BEAM_CHATS, "beam"):
        if messages == "all" or message["role"] == "user":
            rows[message["chat"]].append(_beam_row(message, rows[message["chat"]]))
    left_out: Counter[str] = Counter()
    questions: dict[int, list[Question]] = defaultdict(list)
    for asked in _lines(directory, BEAM_QUESTIONS, "beam"):
        known = {row.id for row in rows[asked["chat"]]}
        gold = frozenset(str(id) for id in asked["evidence"]) & known
        if gold:
            questions[asked["chat"]].append(
                Question(asked["qid"], asked["question"], asked["category"], gold)
            )
        else:
            left_out[asked["category"]] += 1
    return Suite(
        f"beam-{messages}",
        tuple(
            Conversation(f"beam-{chat}", tuple(rows[chat]), tuple(questions[chat]))
            for chat in sorted(rows)
        ),
        user="User",
        left_out=left_out,
    )


def devbench(directory: Path) -> Suite:
    """Each developer memory is a row filed under its kind; a question without gold is left out."""
    path = _file(directory, DEVBENCH, "devbench")
    loaded = json.loads(path.read_text("utf-8"))
    rows = tuple(
        Row(
            id=memory["id"],
            text=memory["content"],
            speaker=memory["memory_type"],
            at=datetime.fromisoformat(memory["created_at_iso"]),
        )
        for memory in loaded["memories"]
    )
    by_tag: dict[str, set[str]] = defaultdict(set)
    for memory in loaded["memories"]:
        for tag in memory["tags"]:
            by_tag[tag].add(memory["id"])
    left_out: Counter[str] = Counter()
    questions = []
    for asked in loaded["queries"]:
        gold = frozenset(id for tag in asked["expected_tags"] for id in by_tag[tag])
        if gold:
            questions.append(Question(asked["id"], asked["question"], asked["category"], gold))
        else:
            left_out[asked["category"]] += 1
    return Suite("devbench", (Conversation("devbench", rows, tuple(questions)),), left_out=left_out)


def longmemeval(directory: Path) -> Suite:
    """Each question brings its own chats; gold are the turns marked as holding the answer."""
    path = _file(directory, LONGMEMEVAL, "longmemeval")
    left_out: Counter[str] = Counter()
    conversations = []
    for entry in json.loads(path.read_text("utf-8")):
        rows, gold = _longmemeval_rows(entry)
        if not gold:
            left_out[entry["question_type"]] += 1
            continue
        asked = Question(
            entry["question_id"], entry["question"], entry["question_type"], frozenset(gold)
        )
        conversations.append(Conversation(entry["question_id"], tuple(rows), (asked,)))
    return Suite("longmemeval", tuple(conversations), user="User", left_out=left_out)


def harbour_talk(directory: Path = SHIPPED) -> Suite:
    """The conversation of our own that the repository carries."""
    path = _file(directory, HARBOUR_TALK, "harbour-talk")
    loaded = json.loads(path.read_text("utf-8"))
    rows = tuple(
        Row(
            id=turn["id"],
            text=turn["text"],
            speaker=turn["speaker"],
            session=session["id"],
            at=datetime.fromisoformat(session["at"]),
        )
        for session in loaded["sessions"]
        for turn in session["turns"]
    )
    questions = tuple(
        Question(f"q{number}", asked["question"], asked["category"], frozenset(asked["evidence"]))
        for number, asked in enumerate(loaded["questions"], 1)
    )
    return Suite("harbour-talk", (Conversation("harbour-talk", rows, questions),), is_talk=True)


def files_of(suite: str, directory: Path) -> list[Path]:
    """Return the files a suite is read from, for the fingerprint."""
    patterns = {
        "locomo-turns": (LOCOMO,),
        "locomo-notes": (LOCOMO,),
        "beam": (BEAM_CHATS, BEAM_QUESTIONS),
        "devbench": (DEVBENCH,),
        "precision": ("precisionmembench/*.json",),
        "longmemeval": (LONGMEMEVAL,),
        "harbour-talk": (HARBOUR_TALK,),
    }[suite]
    return sorted(path for pattern in patterns for path in _find_files(directory, pattern))


def evidence_ids(evidence: Sequence[str]) -> list[str]:
    """Return the turn ids in LoCoMo's evidence, whose strings are sometimes malformed."""
    return [
        f"D{int(session)}:{int(turn)}"
        for text in evidence
        for session, turn in re.findall(r"D:?(\d+):(\d+)", text)
    ]


def _locomo(directory: Path) -> list[Any]:
    path = _file(directory, LOCOMO, "locomo")
    loaded: list[Any] = json.loads(path.read_text("utf-8"))
    return loaded


def _locomo_turns(sample: Any) -> Iterator[Row]:
    for number, at in _locomo_sessions(sample):
        for turn in sample["conversation"][f"session_{number}"]:
            caption = turn.get("blip_caption")
            text = turn["text"].strip()
            yield Row(
                id=turn["dia_id"],
                text=f"{text} [photo: {caption}]" if caption else text,
                speaker=turn["speaker"],
                session=f"{sample['sample_id']}/{number}",
                at=at,
            )


def _locomo_notes(sample: Any, notes_of: dict[str, list[str]]) -> Iterator[Row]:
    """Yield the notes; tell in *notes_of* which turn each came from."""
    count = 0
    for number, at in _locomo_sessions(sample):
        noted = sample["observation"].get(f"session_{number}_observation", {})
        for person, notes in noted.items():
            for text, sources in notes:
                row = Row(f"F{count}", text.strip(), person, f"{sample['sample_id']}/{number}", at)
                count += 1
                for turn in evidence_ids(sources if isinstance(sources, list) else [sources]):
                    notes_of[turn].append(row.id)
                yield row


def _locomo_sessions(sample: Any) -> list[tuple[int, datetime]]:
    conversation = sample["conversation"]
    numbers = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
    return [(number, _locomo_time(conversation, number)) for number in numbers]


def _locomo_time(conversation: Any, number: int) -> datetime:
    reported = conversation[f"session_{number}_date_time"].strip()
    return datetime.strptime(reported, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _locomo_questions(
    sample: Any, rows_of: dict[str, list[str]], left_out: Counter[str]
) -> Iterator[Question]:
    turns = {
        turn["dia_id"]
        for number, _ in _locomo_sessions(sample)
        for turn in sample["conversation"][f"session_{number}"]
    }
    for number, asked in enumerate(sample["qa"]):
        category = LOCOMO_CATEGORIES[asked["category"]]
        cited = [id for id in evidence_ids(asked.get("evidence") or []) if id in turns]
        gold = frozenset(row for id in cited for row in rows_of.get(id, ()))
        if gold:
            id = f"{sample['sample_id']}#{number}"
            yield Question(id, asked["question"].strip(), category, gold)
        else:
            left_out[category] += 1


def _by_own_id(rows: Iterable[Row]) -> dict[str, list[str]]:
    return {row.id: [row.id] for row in rows}


def _beam_row(message: Any, before: Sequence[Row]) -> Row:
    """Return a message as a row; one without a readable date has that of the one before."""
    try:
        at = datetime.strptime(message["time"] or "", "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        at = (before[-1].at if before else None) or datetime(2024, 1, 1, tzinfo=UTC)
    return Row(
        id=str(message["id"]),
        text=message["text"],
        speaker=message["role"].capitalize(),
        session=f"beam-{message['chat']}/{message['batch']}",
        at=at,
    )


def _longmemeval_rows(entry: Any) -> tuple[list[Row], list[str]]:
    rows, gold = [], []
    reported = zip(
        entry["haystack_session_ids"],
        entry["haystack_dates"],
        entry["haystack_sessions"],
        strict=True,
    )
    for session, date, turns in reported:
        told_at = re.sub(r"\s*\(\w+\)", "", date)
        at = datetime.strptime(told_at, "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
        for number, turn in enumerate(turns):
            id = f"{session}:{number}"
            row = Row(
                id=id,
                text=turn["content"],
                speaker=turn["role"].capitalize(),
                session=f"{entry['question_id']}/{session}",
                at=at,
            )
            rows.append(row)
            if turn.get("has_answer"):
                gold.append(id)
    return rows, gold


def _file(directory: Path, pattern: str, suite: str) -> Path:
    found = _find_files(directory, pattern)
    if not found:
        raise Absent(suite, pattern, directory)
    return found[0]


def _find_files(directory: Path, pattern: str) -> list[Path]:
    """Return the files of that name in the folder, or else in one below it."""
    return sorted(directory.glob(pattern)) or sorted(directory.glob(f"*/{pattern}"))


def _lines(directory: Path, pattern: str, suite: str) -> Iterator[Any]:
    found = sorted(directory.glob(pattern))
    if not found:
        raise Absent(suite, pattern, directory)
    for path in found:
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
