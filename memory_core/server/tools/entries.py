"""Tools: entries, their longer text and their groups."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.facts.entries import (
    ContextPage,
    DeletedEntry,
    EntryHits,
    EntryLookup,
    EntryOrder,
    EntryStatusReport,
    WrittenContext,
    WrittenEntry,
)
from ...model.facts.groups import EntryGroups, GroupList, GroupMembers, RebuiltGroups
from ..calls import parameters as p
from ..calls.provided_arguments import was_given
from ..calls.registry import tool
from ..calls.vellum_compat import also_in_old_form

Summary = Annotated[str, Field(description="The sentence to store, 1 to 200 characters.")]
Tags = Annotated[list[str], Field(description="Exactly five different tags.")]
Category = Annotated[
    str, Field(description="conversation, knowledge, document, preference or other.")
]
TimeSensitive = Annotated[bool, Field(description="Expires automatically after some days.")]
TtlDays = Annotated[int, Field(description="Days until it expires; 0: the default for its kind.")]
ContextText = Annotated[str, Field(description="Longer text to attach, of any length.")]
Id = Annotated[str, Field(description="Id of the entry.")]
Offset = Annotated[int, Field(description="Number of results to skip.")]


@tool(title="Write entry")
@also_in_old_form
def memory_write(
    memory: Memory,
    summary: Summary = "",
    tags: Tags = [],
    category: Category = "",
    context_text: ContextText = "",
    is_time_sensitive: TimeSensitive = False,
    ttl_days: TtlDays = 0,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> WrittenEntry:
    """Store one self-contained sentence with five tags and a category, optionally with longer
    text. Returns its id."""
    return memory.entries.write_entry(
        summary,
        tags,
        category=category,
        context_text=context_text,
        is_time_sensitive=is_time_sensitive,
        ttl_days=ttl_days,
        scope=scope,
    )


@tool(title="Read entry", reads=True)
@also_in_old_form
def memory_get(
    memory: Memory,
    id: Id = "",
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> EntryLookup:
    """Return an entry by id; found is false if there is none."""
    return memory.entries.get_entry(id, scope=scope)


@tool(title="Update entry", idempotent=True)
@also_in_old_form
def memory_update(
    memory: Memory,
    id: Id = "",
    summary: Summary = "",
    tags: Tags = [],
    category: Category = "",
    is_time_sensitive: TimeSensitive = False,
    ttl_days: TtlDays = 0,
    expected_version: p.ExpectedVersion = 0,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> WrittenEntry:
    """Update the given fields of an entry. The previous version stays in the history."""
    return memory.entries.update_entry(
        id,
        summary=summary,
        tags=tags,
        category=category,
        is_time_sensitive=is_time_sensitive if was_given("is_time_sensitive") else None,
        ttl_days=ttl_days,
        expected_version=expected_version,
        scope=scope,
    )


@tool(title="Delete entry", destroys=True)
@also_in_old_form
def memory_delete(
    memory: Memory,
    id: Id = "",
    force: Annotated[bool, Field(description="Required for time-sensitive entries.")] = False,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> DeletedEntry:
    """Delete an entry with its longer text. It stays in the history, and undo restores it."""
    return memory.entries.delete_entry(id, force=force, scope=scope)


@tool(title="Find entries", reads=True)
@also_in_old_form
def memory_query(
    memory: Memory,
    query: Annotated[str, Field(description="A question or keywords.")] = "",
    top_k: Annotated[int, Field(description="Maximum number of entries, 1 to 100.")] = 3,
    score_threshold: Annotated[float, Field(description="Minimum score, 0 to 1.")] = 0.15,
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
) -> EntryHits:
    """Semantic search for entries, best first. search_memory also searches their longer text."""
    return memory.entry_query.query_entries(
        query,
        top_k=top_k,
        score_threshold=score_threshold,
        scope=scope,
    )


@tool(title="Read longer text", reads=True)
@also_in_old_form
def memory_get_context(
    memory: Memory,
    id: Id = "",
    offset: Offset = 0,
    limit: Annotated[int, Field(description="Maximum number of chunks, 1 to 50.")] = 1,
    order: Annotated[EntryOrder, Field(description="Oldest or newest first.")] = "oldest",
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> ContextPage:
    """Return the longer text of an entry in chunks; concatenated in order they are the text."""
    return memory.entry_query.entry_context(
        id,
        offset=offset,
        limit=limit,
        order=order,
        scope=scope,
    )


@tool(title="Add longer text")
@also_in_old_form
def memory_write_context(
    memory: Memory,
    id: Id = "",
    context_text: ContextText = "",
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> WrittenContext:
    """Append longer text to an entry. It is split into chunks without loss."""
    return memory.entries.write_context(id, context_text, scope=scope)


@tool(title="Groups of an entry", reads=True)
@also_in_old_form
def memory_get_groups(
    memory: Memory,
    id: Id = "",
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> EntryGroups:
    """Return the groups that contain an entry."""
    return memory.groups.groups_of_entry(id, scope=scope)


@tool(title="List groups", reads=True)
@also_in_old_form
def memory_list_groups(
    memory: Memory,
    offset: Offset = 0,
    limit: p.Limit = 50,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> GroupList:
    """Return the groups of entries, largest first, and whether they are up to date."""
    return memory.groups.list_groups(scope=scope, offset=offset, limit=limit)


@tool(title="Members of a group", reads=True)
@also_in_old_form
def memory_get_group_members(
    memory: Memory,
    group_id: Annotated[str, Field(description="Id of the group.")] = "",
    offset: Offset = 0,
    limit: p.Limit = 50,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> GroupMembers:
    """Return the entries of a group, oldest first."""
    return memory.groups.list_members(group_id, scope=scope, offset=offset, limit=limit)


@tool(title="Rebuild groups", idempotent=True)
@also_in_old_form
def memory_rebuild_groups(
    memory: Memory,
    threshold: Annotated[
        float, Field(description="Minimum cosine of similar entries, 0 to 1; -1: the setting.")
    ] = -1,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> RebuiltGroups:
    """
    Rebuild the groups of entries of a project (and user). Groups that continue keep their ids.
    """
    return memory.groups.rebuild_groups(threshold, scope=scope)


@tool(title="Prepare entries", idempotent=True)
def memory_init(
    memory: Memory,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> EntryStatusReport:
    """Load the embedding model and return counts. Idempotent."""
    return memory.entry_status.init(scope=scope)


@tool(title="Status of entries", reads=True)
def memory_status(
    memory: Memory,
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
) -> EntryStatusReport:
    """Return counts of entries, chunks, tags and groups, and each setting with its default and
    current value."""
    return memory.entry_status.status(scope=scope)
