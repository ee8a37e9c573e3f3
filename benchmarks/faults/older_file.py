"""Files of older schema versions, written by their own triggers."""

from __future__ import annotations

from pathlib import Path

import apsw

from memory_core.storage import schema

# A trigger of the versions up to 8.
TRIGGER = """
create trigger {table}_created after insert on {table} begin
    insert into changes (at, actor, cause, kind, row_id, subject_id, object_id,
        op, project_id, batch_id, state)
    select at, actor, cause, '{table}', new.id, new.{subject}, null, 'created', new.project_id,
        batch_id, json_object({fields})
    from change_context;
    insert into searchables (kind, row_id, subject_id, project_id, occurred_at, active, text, seq)
    values ('{table}', new.id, new.{subject}, new.project_id, new.created_at, 1, {text},
        (select max(seq) from changes));
end
"""


def write_older_file(path: Path, version: int, *, observations: int = 3) -> None:
    """Write a file of schema *version*, 8 at most, by its own triggers."""
    connection = apsw.Connection(str(path))
    for file in schema.migrations()[:version]:
        connection.execute(file.read_text(encoding="utf-8"))
    for table, subject, text in (
        ("entities", "id", "new.name || ' (' || new.node_type || ')'"),
        ("observations", "entity_id", "new.content"),
    ):
        columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
        fields = ", ".join(f"'{name}', new.{name}" for name in columns)
        connection.execute(TRIGGER.format(table=table, subject=subject, text=text, fields=fields))
    connection.pragma("application_id", schema.APPLICATION_ID)
    connection.pragma("user_version", version)
    now = "2026-01-01T00:00:00.000001Z"
    connection.execute("update change_context set at = ?, actor = 'a', batch_id = 'b1'", (now,))
    connection.execute(
        "insert into entities (id, project_id, key, folded_key, name, folded_names, node_type,"
        " created_at, updated_at) values ('e1', 'default', 'ann', 'ann', 'Ann', '[\"ann\"]',"
        " 'person', ?1, ?1)",
        (now,),
    )
    connection.execute("update change_context set at = ?, batch_id = 'b2'", (now[:-3] + "99Z",))
    for number in range(observations):
        connection.execute(
            "insert into observations (id, project_id, entity_id, content, digest, created_at,"
            " updated_at) values (?2, 'default', 'e1', 'Drinks green tea ' || ?2, ?2, ?1, ?1)",
            (now, f"o{number}"),
        )
    if version >= 7:
        # Indexed when it is opened.
        connection.execute("update full_text_state set reindexed_to = 0")
    connection.close()
