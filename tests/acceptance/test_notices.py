"""Notices that tell an assistant what a result does not contain, and what to do about it."""

from __future__ import annotations


def blocks(client, tool, **arguments):
    return [block.text for block in client.result(tool, **arguments).content]


def test_a_write_that_creates_a_project_reports_it_and_names_similar_ones(tool_client):
    tool_client("create_entity", name="Ann", node_type="person", project_id="workshop")
    first = blocks(
        tool_client, "create_entity", name="Bob", node_type="person", project_id="worksop"
    )
    second = blocks(
        tool_client, "create_entity", name="Cy", node_type="person", project_id="worksop"
    )

    assert "Project 'worksop' is new. If you meant 'workshop'," in first[-1]
    assert 1 == len(second)


def test_reads_and_refused_writes_of_an_unknown_project_report_no_new_one(tool_client):
    read = blocks(tool_client, "list_entities", project_id="nowhere")

    assert 1 == len(read)
    tool_client.refusal("create_entity", name="", node_type="person", project_id="nowhere")


def test_unread_bottles_of_other_projects_are_counted(tool_client):
    for project in ("shop", "shop", "blog"):
        tool_client("create_bottle", message="Look here", project_id=project)
    found = tool_client("get_bottles")

    assert [] == found["bottles"]
    assert "'shop' (2), 'blog' (1)" in found["notice"]
    assert "blog" not in tool_client("get_bottles", project_id="*").get("notice", "")
