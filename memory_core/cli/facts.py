"""Commands for facts and other records: add, search, list, delete, undo."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from ..context import as_one_batch
from ..errors import ValidationError
from ..ids import new_id
from ..model.base import Value
from ..model.scope import Scope
from ..model.search.results import Kind, SearchResult
from .command import command
from .context import Answer, CliContext

Limit = Annotated[
    int, typer.Option("--limit", "-n", min=1, max=500, help="Maximum number of results.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")]


Listed = Literal["fact", "entity", "document", "entry"]
Sought = Literal["all", "fact", "entity", "observation", "document", "entry", "bottle"]
Deletable = Literal["fact", "entity", "observation", "document", "entry"]


@command(
    "add",
    'add "Alice moved to Lyon." --user alice',
    'add --fact "The build takes four minutes." --project shop',
    "add --title 'Release notes' --project shop < notes.md",
    'add --about orders "Retries thrice."',
    "add --file docs/design.md",
    path="file",
)
def add(
    desk: CliContext,
    text: Annotated[str, typer.Argument(help="The text to store. Default: stdin.")] = "",
    fact: Annotated[
        bool, typer.Option("--fact", help="Store the text unchanged as one fact.")
    ] = False,
    messages: Annotated[
        bool, typer.Option("--messages", help="The text is a JSON list of {role, content}.")
    ] = False,
    title: Annotated[str, typer.Option("--title", help="Store a document with this title.")] = "",
    about: Annotated[
        str, typer.Option("--about", help="Store an observation of this entity.")
    ] = "",
    file: Annotated[str, typer.Option("--file", help="Store this file as a document.")] = "",
) -> Answer:
    """Remember a text. Facts are drawn from it if LLM_PROVIDER is set, else it is kept as given."""
    if sum(map(bool, (fact, messages, title, about, file))) > 1:
        raise typer.BadParameter("give one of --fact, --messages, --title, --about and --file")
    if file:
        document = desk.memory.knowledge.add_file(file, project_id=desk.project)
        return _format_answer(document, f"{document.status}: {document.document.title}")
    # Redacted here already, so that the output contains no secret either.
    said = desk.memory.db.without_secrets("text", _parse_text(text))
    if title:
        document = desk.memory.knowledge.add_document(title, said, project_id=desk.project)
        return _format_answer(document, f"{document.status}: {document.document.title}")
    if about:
        noted = desk.memory.observations.add_observation(
            about, said, project_id=desk.project, session_id=desk.scope.session_id
        )
        known = "already known" if noted.already_exists else "added"
        return _format_answer(noted, f"{known}: {noted.observation.id}")
    desk.load_model()
    return _remember(desk, said, fact=fact, messages=messages)


@command(
    "search",
    'search "where does Alice live" --user alice',
    "search retries --kind observation --json",
)
def search(
    desk: CliContext,
    query: Annotated[str, typer.Argument(help="A question or keywords.")],
    kind: Annotated[Sought, typer.Option("--kind", help="The kind of records.")] = "all",
    limit: Limit = 10,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Full-text search only; no model is loaded.")
    ] = False,
) -> Answer:
    """Find what is remembered, by words and by meaning, best first."""
    if not words_only:
        desk.load_model()
    if kind == "fact":
        recalled = desk.memory.conversation.search_facts(query, desk.reader, limit=limit)
        lines = [f"{each.score:.3f}  {each.id}  {each.content}" for each in recalled.facts]
        return Answer(recalled, lines, _notices(recalled.notice))
    kinds: list[Kind] = [] if kind == "all" else [kind]
    found = desk.memory.search.search_memory(
        query, kinds=kinds, limit=limit, **desk.reader.model_dump()
    )
    return Answer(found, _hits(found), _notices(found.notice))


@command("list", "list --user alice", "list --kind entity --project shop --json")
def list_(
    desk: CliContext,
    kind: Annotated[Listed, typer.Option("--kind", help="The kind of records.")] = "fact",
    query: Annotated[
        str, typer.Option("--query", help="Filter by a part of the name (not for facts).")
    ] = "",
    limit: Limit = 50,
    cursor: Annotated[str, typer.Option("--cursor", help="The cursor of the previous page.")] = "",
) -> Answer:
    """List facts, newest first; or entities, documents or entries."""
    memory, lines = desk.memory, list[str]()
    page: Any
    if kind == "fact":
        page = memory.conversation.list_facts(desk.reader, limit=limit, cursor=cursor)
        lines = [f"{fact.id}  {fact.content}" for fact in page.facts]
    elif kind == "entity":
        page = memory.graph.list_entities(
            project_id=desk.project, query=query, limit=limit, cursor=cursor
        )
        lines = [f"{each.id}  {each.name} ({each.node_type})" for each in page.entities]
    elif kind == "document":
        page = memory.knowledge.list_documents(
            project_id=desk.project, query=query, limit=limit, cursor=cursor
        )
        lines = [
            f"{each.id}  {each.title} ({each.characters:,} characters)" for each in page.documents
        ]
    else:
        page = memory.entries.list_entries(
            scope=desk.reader, query=query, limit=limit, cursor=cursor
        )
        lines = [f"{each.id}  {each.summary}" for each in page.entries]
    more = [f"{len(lines)} of {page.total}; the next page: --cursor {page.cursor}"]
    return Answer(page, lines, more if page.cursor else [])


@command(
    "delete",
    "delete 0199f3c2a1b --user alice --yes",
    "delete orders --kind entity --yes",
    "delete --all --user alice --yes",
)
def delete(
    desk: CliContext,
    ids: Annotated[
        list[str] | None, typer.Argument(help="The ids to delete.", show_default=False)
    ] = None,
    kind: Annotated[Deletable, typer.Option("--kind", help="The kind of records.")] = "fact",
    everything: Annotated[
        bool, typer.Option("--all", help="Erase all records of the user, agent or session.")
    ] = False,
    without_scope: Annotated[
        bool, typer.Option("--without-scope", help="With --all: records without an owner.")
    ] = False,
    yes: Yes = False,
) -> Answer:
    """Delete records by id. Undo reverts that. --all erases a user, agent or session."""
    if everything == bool(ids):
        raise typer.BadParameter("give ids, or --all with --user, --agent or --session")
    if everything:
        if kind != "fact":
            raise typer.BadParameter("--all is for facts")
        # MEMORY_USER is ignored: an erasure must name its scope explicitly.
        scope = desk.scope.model_copy(update={"user_id": desk.common.user})
        desk.confirm(
            f"Everything of {_format_scope(scope)} will be erased permanently.", "all", yes=yes
        )
        gone = desk.memory.conversation.delete_all_facts(scope, without_scope=without_scope)
        lines = [f"erased: {gone.facts} facts, {gone.entries} entries, {gone.jobs} conversations"]
        return Answer(gone, lines, [gone.notice] * bool(gone.notice))
    names = ids or []
    desk.confirm(f"{len(names)} of kind {kind} will be deleted.", "delete", yes=yes)
    batch_id = new_id()
    with as_one_batch(batch_id), desk.memory.db.act("cli_delete"):
        deleted = [_delete_one(desk, kind, id) for id in names]
    shown = {"deleted": [each.model_dump(mode="json") for each in deleted], "batch_id": batch_id}
    return _undoable(shown, f"deleted {', '.join(names)}", batch_id)


@command("undo", "undo 0199f3c2a1b", "undo 0199f3c2a1b --dry-run")
def undo(
    desk: CliContext,
    batch_id: Annotated[str, typer.Argument(help="The batch id that the command printed.")] = "",
    seq: Annotated[
        int, typer.Option("--seq", help="A single change by sequence number, instead of a batch.")
    ] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report the changes without writing them.")
    ] = False,
) -> Answer:
    """Take back an act; what changed since is named and left alone."""
    project = desk.common.project or "*"
    done = desk.memory.undo.undo(
        batch_id, seq=seq, dry_run=dry_run, project_id=project, user_id=desk.reader.user_id
    )
    counts = ", ".join(f"{count} {kind}" for kind, count in done.reverted.items()) or "nothing"
    lines = [f"{'would put' if dry_run else 'put'} back: {counts}"]
    lines += [f"left alone: {each.kind} {each.id}: {each.why}" for each in done.left_alone]
    return Answer(done, lines)


def _parse_text(text: str) -> str:
    if text and text != "-":
        return text
    if not text and sys.stdin.isatty():
        raise typer.BadParameter("give a text, or pipe one in")
    return sys.stdin.read()


def _remember(desk: CliContext, said: str, *, fact: bool, messages: bool) -> Answer:
    conversation, scope = desk.memory.conversation, desk.scope
    if fact:
        done = conversation.add_facts([said.strip()], scope)
    else:
        done = conversation.add_messages(_messages(said) if messages else said, scope)
    lines = [done.outcome + (f": {done.reason}" if done.reason else "")]
    lines += [f"{each.outcome}  {each.id}  {each.content}" for each in done.facts]
    hints = [*_notices(done.notice), *_notices(*done.refused)]
    if done.batch_id:
        hints.append(f"To take it back: turbovec undo {done.batch_id}")
    return Answer(done, lines, hints, code=1 if done.outcome == "extraction_failed" else 0)


def _messages(said: str) -> list[Any]:
    try:
        value = json.loads(said)
    except (ValueError, RecursionError) as error:
        raise ValidationError(
            f"--messages wants a JSON list of {{role, content}}: {error}."
        ) from error
    if not isinstance(value, list):
        raise ValidationError("--messages wants a JSON list of {role, content}.")
    return value


def _hits(found: SearchResult) -> Iterator[str]:
    for hit in found.hits:
        about = hit.entity.name if hit.entity else hit.document.title if hit.document else ""
        yield f"{hit.score:.3f}  {hit.kind}  {hit.id}  {about + ': ' if about else ''}{hit.text}"


def _delete_one(desk: CliContext, kind: Deletable, id: str) -> Value:
    memory = desk.memory
    if kind == "fact":
        return memory.conversation.delete_fact(id, desk.reader)
    if kind == "entity":
        return memory.graph.delete_entity(id, project_id=desk.project)
    if kind == "observation":
        return memory.observations.delete_observation(id, project_id=desk.project)
    if kind == "document":
        return memory.knowledge.delete_document(id, project_id=desk.project)
    return memory.entries.delete_entry(id, force=True, scope=desk.reader)


def _format_scope(scope: Scope) -> str:
    parts = [("user", scope.user_id), ("agent", scope.agent_id), ("session", scope.session_id)]
    who = ", ".join(f"{what} {name!r}" for what, name in parts if name) or "no one in particular"
    return f"{who} in project {scope.project_id!r}"


def _format_answer(value: Value, line: str) -> Answer:
    return Answer(value, [line], _notices(getattr(value, "notice", "")))


def _undoable(value: Any, line: str, batch_id: str) -> Answer:
    lines = [line, f"batch {batch_id}"] if batch_id else [line]
    hints = [f"To bring it back: turbovec undo {batch_id}"] if batch_id else []
    return Answer(value, lines, hints)


def _notices(*notices: str) -> list[str]:
    return [notice for notice in notices if notice]
