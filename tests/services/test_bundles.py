"""A bundle becomes a project, and a project a bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from exchange import opened
from okf_bundle import BUNDLE, documents, laid
from tables import rows

from memory_core import ConflictError, ForbiddenError, NotFoundError, ValidationError, as_one_batch


@pytest.fixture
def bundle(tmp_path):
    return laid(tmp_path / "bundle")


def edges(memory):
    found = memory.exploration.hologram("tables/orders")
    return {
        (edge.from_node_id, edge.relationship_type, edge.to_node_id) for edge in found.relations
    }


def test_bundle_documents_become_entities_relations_and_chunks(memory, bundle):
    imported = memory.interchange.import_file(bundle)

    assert ("okf", {"entities": 5, "documents": 5, "relations": 4}) == (
        imported.format,
        imported.added,
    )
    assert {"BigQuery Table -> concept": 1} == imported.mapped
    assert {
        ("tables/orders", "REFERENCES", "tables/customers"),
        ("tables/orders", "REFERENCES", "services/shop"),
        ("tables/orders", "DEPENDS_ON", "services/loader"),
        ("services/shop", "REFERENCES", "tables/orders"),
    } == edges(memory)
    orders = memory.graph.get_entity("tables/orders").entity
    assert ("Orders", "concept", "finance") == (
        orders.name,
        orders.node_type,
        orders.properties["owner"],
    )
    hits = memory.search.search_memory("every night").hits
    assert "services/loader.md" == hits[0].document.title


def test_an_import_names_the_reserved_files_it_leaves_out(memory, bundle):
    laid(bundle, {"tables/index.md": "# Tables\n", "services/log.md": "# Log\n"})

    imported = memory.interchange.import_file(bundle)

    assert ["log.md", "services/log.md", "tables/index.md"] == imported.not_recognised


def test_document_with_an_existing_name_updates_that_entity(memory, bundle):
    memory.graph.create_entity("Shop", "service")

    imported = memory.interchange.import_file(bundle)

    assert (0, {"entities": 1}) == (imported.refused_count, imported.already_there)


def test_bundle_import_is_idempotent_and_undoable(memory, bundle):
    empty = rows(memory)
    first = memory.interchange.import_file(bundle)
    before = rows(memory)

    second = memory.interchange.import_file(bundle, format="okf")

    assert ({}, "", first.added) == (second.added, second.batch_id, second.already_there)
    assert before == rows(memory)
    memory.undo.undo(first.batch_id)
    assert empty == rows(memory)


def test_changed_documents_are_updated(memory, bundle):
    memory.interchange.import_file(bundle)
    text = "---\ntype: team\ntitle: Night watch\ntags: [nights]\n---\nThey wake up.\n"
    Path(bundle, "team", "on-call.md").write_text(text)

    imported = memory.interchange.import_file(bundle)

    team = memory.graph.get_entity("team/on-call").entity
    assert ("Night watch", ["nights"]) == (team.name, team.properties["tags"])
    assert "They wake up.\n" == memory.knowledge.document_text("team/on-call.md")
    assert ({}, True) == (imported.added, bool(imported.batch_id))


def test_bundle_import_keeps_existing_data(memory, tmp_path):
    memory.knowledge.add_document("a.md", "mine")
    folder = laid(tmp_path / "b", {"a.md": "---\ntype: note\n---\ntheirs", "b.md": "no type"})

    imported = memory.interchange.import_file(folder)

    assert "mine" == memory.knowledge.document_text("a.md")
    assert {"a.md", "b.md"} == {each.where for each in imported.refused}


def test_documents_with_equal_titles_stay_separate(memory, tmp_path):
    text = "---\ntype: note\ntitle: Same\n---\n[other](b/x.md)"
    folder = laid(tmp_path / "b", {"a.md": text, "b/x.md": text})

    memory.interchange.import_file(folder)

    names = [entity.name for entity in memory.graph.list_entities().entities]
    assert ["Same (a)", "Same (b/x)"] == names


def test_bundles_round_trip(memory, bundle, tmp_path, clock):
    memory.interchange.import_file(bundle)

    exported = memory.interchange.export_project(
        str(tmp_path / "out"), format="okf", project_id="default"
    )

    assert documents(bundle) == documents(exported.path)
    assert {"entities": 5, "documents": 5, "relations": 4} == exported.rows
    (tmp_path / "two").mkdir()
    other = opened(tmp_path / "two", clock, "x")
    other.bundles._roots = (tmp_path,)
    other.bundles.import_bundle(exported.path)
    assert edges(memory) == edges(other)
    other.close()


def test_any_project_exports_as_a_bundle(memory, tmp_path):
    for name in ("Ann", "Old"):
        memory.graph.create_entity(name, "person", observations=[f"{name} drinks tea"])
    memory.graph.create_entity("Con", "service", properties={"port": 80})
    memory.relations.create_relation("ann", "con", "USES")
    memory.lifecycle.archive_entities("old")
    memory.knowledge.add_document("Notes: one/two", "Some text.", source="/home/user/notes.txt")
    memory.bottles.create_bottle("not in a bundle")

    exported = memory.interchange.export_project("mine", format="okf", project_id="default")

    found = documents(exported.path)
    assert {"person/ann.md", "service/con-1.md", "documents/notes-one-two.md"} == set(found)
    front, body = found["person/ann.md"]
    assert ("person", "Ann") == (front["type"], front["title"])
    assert "- Ann drinks tea" in body and "- USES: [Con](/service/con-1.md)" in body
    assert 80 == found["service/con-1.md"][0]["port"]
    assert {"type", "title", "timestamp"} == set(found["documents/notes-one-two.md"][0])
    assert ("1 bottles" in exported.notice, True) == (
        True,
        memory.bundles.validate_bundle(exported.path).valid,
    )
    assert "[Ann](/person/ann.md)" in Path(exported.path, "index.md").read_text()


def test_existing_folder_is_replaced_only_on_request(memory, bundle, tmp_path):
    memory.interchange.import_file(bundle)
    target = tmp_path / "kept"
    laid(target, {"tables/orders.md": "mine", "notes.txt": "mine too"})

    with pytest.raises(ConflictError, match="not empty"):
        memory.bundles.export_bundle(str(target))
    assert "mine" == (target / "tables" / "orders.md").read_text()

    memory.bundles.export_bundle(str(target), replace=True)
    assert documents(bundle) == documents(target)
    assert "mine too" == (target / "notes.txt").read_text()


def test_a_folder_outside_or_missing_is_refused(memory, tmp_path):
    for act in (
        memory.bundles.validate_bundle,
        memory.bundles.import_bundle,
        memory.bundles.export_bundle,
    ):
        with pytest.raises(ForbiddenError):
            act("/etc")
    with pytest.raises(NotFoundError):
        memory.bundles.validate_bundle(str(tmp_path / "gone"))
    with pytest.raises(ValidationError, match="holds no document"):
        memory.interchange.import_file(laid(tmp_path / "none", {"readme.txt": "x"}))
    with pytest.raises(ValidationError, match="one project"):
        memory.interchange.export_project("mine", format="okf")


def test_bundle_graph_reports_edges_and_reachability(memory, bundle):
    graph = memory.bundles.bundle_graph(bundle)

    nodes = {node.path: node for node in graph.nodes}
    assert ["services/loader.md", "services/shop.md", "tables/customers.md"] == nodes[
        "tables/orders.md"
    ].outgoing
    assert ["services/shop.md"] == nodes["tables/orders.md"].incoming
    assert (["tables/orders.md"], ["team/on-call.md"]) == (graph.start, graph.unreachable)
    assert ["tables/customers.md"] == memory.bundles.bundle_graph(
        bundle, start="tables/customers"
    ).reachable
    assert len(BUNDLE) - 2 == len(graph.nodes)
    with pytest.raises(NotFoundError):
        memory.bundles.bundle_graph(bundle, start="gone")


def test_secrets_in_documents_are_redacted_on_import(memory, tmp_path):
    key = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = f"---\ntype: service\nnote: {key}\n---\nDeploys with {key} at night.\n"
    folder = laid(tmp_path / "b", {"a.md": text})
    memory.interchange.import_file(folder)

    again = memory.interchange.import_file(folder)

    assert ({}, "") == (again.added, again.batch_id)
    assert key not in memory.knowledge.document_text("a.md")
    assert key not in str(memory.graph.get_entity("a").entity.properties)


def test_documentation_example_is_a_valid_document(memory, tmp_path):
    page = Path(__file__).parents[2] / "docs" / "open-knowledge-format.md"
    example = page.read_text(encoding="utf-8").split("```text\n")[1].partition("```")[0]
    other = "---\ntype: dataset\n---\nRows.\n"
    files = {"tables/orders.md": example, "tables/customers.md": other, "services/loader.md": other}
    folder = laid(tmp_path / "b", files)

    report = memory.bundles.validate_bundle(folder)
    memory.bundles.import_bundle(folder)

    assert (True, 0, 2) == (report.valid, report.warnings, report.links)
    assert {"REFERENCES", "DEPENDS_ON"} == {kind for _, kind, _ in edges(memory)}


def test_zipped_bundles_are_imported_like_folders(memory, bundle, tmp_path):
    whole = shutil.make_archive(str(tmp_path / "wiki"), "zip", bundle)
    imported = memory.interchange.import_file(whole)
    again = memory.interchange.import_file(bundle)

    assert (whole, "okf") == (imported.path, imported.format)
    assert {"entities": 5, "documents": 5, "relations": 4} == imported.added
    assert {} == again.added
    assert [] == list(memory.interchange.folder.iterdir())


def test_import_within_a_batch_joins_it(memory, bundle):
    with as_one_batch("mine"):
        imported = memory.interchange.import_file(bundle)

    assert "mine" == imported.batch_id


def test_invalid_bundles_raise_clear_error(memory, tmp_path):
    place = tmp_path / "notes.txt"
    place.write_text("hello")

    with pytest.raises(ValidationError, match="neither a folder nor a zip"):
        memory.interchange.import_file(str(place), format="okf")
