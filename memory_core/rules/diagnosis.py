"""Diagnosis of health check results: problems, severity and fixes."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.health import AuditLogHealth, FileHealth, FullTextHealth, HealthProblem, VectorHealth

_REPAIR = (
    "Run the tool memory_health with repair=true. It makes a backup and rebuilds derived data."
)
_RESTORE = "Restore a backup with the tool restore_backup. Copy the file first."
_MOVE = "Move it to a local disk and set MEMORY_DATA_DIR."


def find_problems(
    file: FileHealth,
    text: FullTextHealth,
    vectors: VectorHealth,
    journal: AuditLogHealth,
    *,
    ahead: float,
    unreadable: str = "",
) -> list[HealthProblem]:
    """Return the problems, most severe first; *ahead*: tolerated clock skew in seconds."""
    found = [
        *_file_problems(file, unreadable),
        *_full_text_problems(text),
        *_vector_problems(vectors),
        *_audit_log_problems(journal, ahead),
    ]
    return sorted(found, key=lambda problem: problem.colour != "red")


def _file_problems(file: FileHealth, unreadable: str) -> Iterator[HealthProblem]:
    if file.integrity not in (["ok"], ["not checked"]):
        yield _red_problem(f"The file is damaged: {file.integrity[0]}", _RESTORE)
    elif unreadable:
        yield _red_problem(f"The file cannot be read: {unreadable}", _RESTORE)
    if file.broken_references:
        yield _red_problem(f"{file.broken_references} rows have dangling foreign keys.", _RESTORE)
    if file.network:
        yield _amber(
            f"The database is on a network file system ({file.network}). It is used without a "
            "write-ahead log, and only one machine at a time may use it.",
            _MOVE,
        )
    elif file.journal_mode not in ("wal", ""):
        yield _amber(
            "The file does not support a write-ahead log, so reads wait for writes.",
            _MOVE,
        )
    if file.schema_version > file.known_schema_version:
        yield _amber("The file was written by a newer version.", "Update this program.")


def _full_text_problems(text: FullTextHealth) -> Iterator[HealthProblem]:
    if text.integrity.startswith("not checked:"):
        yield _amber(
            f"The full-text index could not be checked. {text.integrity}", "Try again later."
        )
    elif text.integrity not in ("ok", "not checked"):
        yield _red_problem(f"The full-text index is damaged: {text.integrity}", _REPAIR)
    if text.rows != text.pieces:
        yield _red_problem(
            f"The full-text index has {text.rows} rows for {text.pieces} passages.", _REPAIR
        )
    if text.unlike_the_tables:
        what = f"{text.unlike_the_tables} search documents differ from their rows."
        yield _red_problem(what, _REPAIR)
    if text.unlike_the_names:
        yield _red_problem(f"{text.unlike_the_names} names are wrong in the name index.", _REPAIR)
    if text.orphans:
        yield _amber(f"{text.orphans} passages belong to deleted texts.", _REPAIR)


def _vector_problems(vectors: VectorHealth) -> Iterator[HealthProblem]:
    if vectors.damaged:
        yield _red_problem(f"{vectors.damaged} vectors have the wrong length.", _REPAIR)
    if vectors.lost:
        yield _red_problem(
            f"{vectors.lost} passages have no vector and are not queued for one.", _REPAIR
        )
    if vectors.miscounted:
        yield _amber("The vector counters are wrong.", _REPAIR)
    if vectors.model_state in ("failed", "absent"):
        yield _amber(
            f"The embedding model is {vectors.model_state}, so search uses only the full-text "
            f"index. {vectors.model_reason}".strip(),
            "Set EMBEDDING_MODEL to a model that is on this machine.",
        )
    elif vectors.model_state == "ready" and vectors.model_reason:
        yield _amber(
            f"The embedding model failed in its last call. {vectors.model_reason}",
            "It is retried with the next search or write.",
        )
    for mirror in vectors.mirrors:
        if mirror.failure:
            yield _amber(
                f"The mirror of the {mirror.source} is {mirror.behind} behind. {mirror.failure}",
                "Search is not affected. Check VECTOR_MIRROR_URL and VECTOR_MIRROR_KEY, or set "
                "VECTOR_MIRROR to none.",
            )


def _audit_log_problems(journal: AuditLogHealth, ahead: float) -> Iterator[HealthProblem]:
    if journal.ahead_seconds > ahead:
        yield _red_problem(
            f"The newest change is {journal.ahead_seconds / 86_400:.1f} days in the future: a "
            "clock was wrong.",
            "Correct the clock, then run the tool memory_health with repair=true. It moves future "
            "changes to the present and keeps their order.",
        )
    if journal.backwards:
        yield _red_problem(
            f"{journal.backwards} changes are older than their predecessor.", _RESTORE
        )
    if journal.unlike_the_tables:
        what = f"{journal.unlike_the_tables} rows differ from their newest change."
        yield _red_problem(what, _RESTORE)


def _red_problem(what: str, way_out: str) -> HealthProblem:
    return HealthProblem(colour="red", what=what, way_out=way_out)


def _amber(what: str, way_out: str) -> HealthProblem:
    return HealthProblem(colour="amber", what=what, way_out=way_out)
