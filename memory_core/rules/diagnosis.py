"""Health problems: rules, severity and fix."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.health import AuditLogHealth, FileHealth, FullTextHealth, HealthProblem, VectorHealth

_REPAIR = (
    "Run the tool memory_health with repair=true. It rebuilds this from the tables, after a backup."
)
_RESTORE = "Restore a backup with the tool restore_backup. Copy the file to another place first."


def find_problems(
    file: FileHealth,
    text: FullTextHealth,
    vectors: VectorHealth,
    journal: AuditLogHealth,
    *,
    ahead: float,
    unreadable: str = "",
) -> list[HealthProblem]:
    """Return the problems, worst first; *ahead*: allowed seconds of a change in the future."""
    found = [
        *_file_problems(file, unreadable),
        *_full_text_problems(text),
        *_vector_problems(vectors),
        *_audit_log_problems(journal, ahead),
    ]
    return sorted(found, key=lambda problem: problem.colour != "red")


def _file_problems(file: FileHealth, unreadable: str) -> Iterator[HealthProblem]:
    if file.integrity not in (["ok"], ["not checked"]):
        yield _red(f"The file is damaged: {file.integrity[0]}", _RESTORE)
    elif unreadable:
        yield _red(f"The file cannot be read: {unreadable}", _RESTORE)
    if file.broken_references:
        yield _red(f"{file.broken_references} rows refer to what is not there.", _RESTORE)
    if file.network:
        yield _amber(
            f"The memory lies on a network file system ({file.network}). It is written without a "
            "write-ahead log, and two machines must not use it at once.",
            "Move it to a disk of this machine, and name that in MEMORY_DATA_DIR.",
        )
    elif file.journal_mode not in ("wal", ""):
        yield _amber(
            "The file cannot be written ahead, so whoever reads waits for whoever writes.",
            "Move it to a disk of this machine, and name that in MEMORY_DATA_DIR.",
        )
    if file.schema_version > file.known_schema_version:
        yield _amber("The file was written by a newer version.", "Update this program.")


def _full_text_problems(text: FullTextHealth) -> Iterator[HealthProblem]:
    if text.integrity.startswith("not checked:"):
        yield _amber(f"The full text could not be checked. {text.integrity}", "Try again later.")
    elif text.integrity not in ("ok", "not checked"):
        yield _red(f"The full text is damaged: {text.integrity}", _REPAIR)
    if text.rows != text.pieces:
        yield _red(f"The full text has {text.rows} rows for {text.pieces} pieces.", _REPAIR)
    if text.unlike_the_tables:
        what = f"{text.unlike_the_tables} searchable texts differ from their rows."
        yield _red(what, _REPAIR)
    if text.unlike_the_names:
        yield _red(f"{text.unlike_the_names} names are wrong in the list of names.", _REPAIR)
    if text.orphans:
        yield _amber(f"{text.orphans} pieces are of texts that are gone.", _REPAIR)


def _vector_problems(vectors: VectorHealth) -> Iterator[HealthProblem]:
    if vectors.damaged:
        yield _red(f"{vectors.damaged} vectors have the wrong length.", _REPAIR)
    if vectors.lost:
        yield _red(f"{vectors.lost} pieces have no vector and wait for none.", _REPAIR)
    if vectors.miscounted:
        yield _amber("The counters of vectors are wrong.", _REPAIR)
    if vectors.model_state in ("failed", "absent"):
        yield _amber(
            f"The embedding model is {vectors.model_state}, so search answers from full text "
            f"alone. {vectors.model_reason}".strip(),
            "Name a model that is on this machine in EMBEDDING_MODEL.",
        )
    elif vectors.model_state == "ready" and vectors.model_reason:
        yield _amber(
            f"The embedding model failed the last time it was asked. {vectors.model_reason}",
            "It is asked again with the next search or text.",
        )
    for mirror in vectors.mirrors:
        if mirror.failure:
            yield _amber(
                f"The mirror of the {mirror.source} is {mirror.behind} behind. {mirror.failure}",
                "Nothing here depends on it. See to VECTOR_MIRROR_URL and VECTOR_MIRROR_KEY, or "
                "set VECTOR_MIRROR to none.",
            )


def _audit_log_problems(journal: AuditLogHealth, ahead: float) -> Iterator[HealthProblem]:
    if journal.ahead_seconds > ahead:
        yield _red(
            f"The newest change lies {journal.ahead_seconds / 86_400:.1f} days in the future: a "
            "clock was wrong.",
            "Set the clock right, then run the tool memory_health with repair=true. It moves "
            "changes in the future to the present, in their order.",
        )
    if journal.backwards:
        yield _red(f"{journal.backwards} changes are older than the one before them.", _RESTORE)
    if journal.unlike_the_tables:
        what = f"{journal.unlike_the_tables} rows differ from their newest change."
        yield _red(what, _RESTORE)


def _red(what: str, way_out: str) -> HealthProblem:
    return HealthProblem(colour="red", what=what, way_out=way_out)


def _amber(what: str, way_out: str) -> HealthProblem:
    return HealthProblem(colour="amber", what=what, way_out=way_out)
