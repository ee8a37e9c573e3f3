from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest

from dashboard.components.colours import BECAME, FAMILIES, mark
from dashboard.components.formatting import shorten
from dashboard.graph import graph_view
from dashboard.graph.graph_element import element_source
from dashboard.layout import positions_of
from memory_core.model.graph.graph_view import GraphMap, MapEdge, MapNode

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIGHT = graph_view.Look("light")
TRAPS = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=http://127.0.0.9/x.png onerror=alert(3)>",
    "\"quoted\" 'twice' `thrice`",
    "![x](http://127.0.0.9/y.png) [link](javascript:alert(4))",
    "two\nlines and a \u2028 separator",
)


def node(row_id, name="A name", node_type="person", status="active"):
    return MapNode(
        row_id=row_id,
        id=row_id,
        project_id="p",
        name=name,
        node_type=node_type,
        status=status,
        degree=1,
        observations=2,
        salience=0.5,
        created_at=NOON,
        updated_at=NOON,
    )


def drawn(names, pairs=()):
    return GraphMap(
        nodes=[node(f"n{number}", name) for number, name in enumerate(names)],
        edges=[
            MapEdge(from_row_id=f"n{a}", to_row_id=f"n{b}", relationship_type="DEPENDS_ON")
            for a, b in pairs
        ],
        total=len(names),
        type_counts={"person": len(names)},
        relation_counts={},
    )


def chain(length):
    return drawn([f"Node {n}" for n in range(length)], [(n, n + 1) for n in range(length - 1)])


def exported(shown, title="Memory graph"):
    net = graph_view.network(shown, positions_of(shown, {}), LIGHT)
    return graph_view.export_html(net, title)


def data_of(page, name):
    """Read back the list that the page gives to vis-network."""
    written = re.search(rf"{name} = new vis\.DataSet\((\[.*?\])\);", page, re.DOTALL)
    return json.loads(written.group(1))


def test_an_exported_page_asks_no_other_machine():
    page = exported(chain(3))
    tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page)

    assert [] == [tag for tag in tags if "http" in tag or "src=" in tag]
    assert "default-src 'none'" in page


@pytest.mark.parametrize("name", TRAPS)
def test_a_name_reaches_an_exported_page_as_text(name):
    page = exported(drawn([name, "other"], [(0, 1)]), title=name)

    assert "<script>alert" not in page
    assert "<img src=http" not in page
    assert shorten(name, graph_view.LABEL_LENGTH) == data_of(page, "nodes")[0]["label"]


def test_names_are_data_of_the_element_and_never_its_code():
    shown = drawn([*TRAPS])
    look = graph_view.Look("dark")
    net = graph_view.network(shown, positions_of(shown, {}), look)
    element = graph_view.element_data(net, shown, look)
    source = "".join(element_source().values())

    assert [shorten(name, graph_view.LABEL_LENGTH) for name in TRAPS] == [
        n["name"] for n in element["nodes"]
    ]
    assert all(n["label"] == "" for n in element["nodes"])
    assert "alert(1)" not in source
    assert "http://127.0.0.9" not in source


def test_the_same_map_is_laid_out_the_same():
    shown = chain(40)

    assert positions_of(shown, {}) == positions_of(shown, {})


def test_nodes_do_not_move_when_others_come():
    before = positions_of(chain(20), {})
    after = positions_of(chain(23), before)

    assert before == {row_id: after[row_id] for row_id in before}
    assert 23 == len(set(after.values()))


def test_every_node_has_a_place_of_its_own():
    shown = drawn([f"Node {n}" for n in range(30)], [(0, 1), (1, 2), (5, 6)])
    places = positions_of(shown, {})

    assert 30 == len(set(places.values()))


def test_no_nodes_are_no_error():
    assert {} == positions_of(drawn([]), {})


def test_physics_is_off_and_edges_rest_in_a_large_map():
    assert graph_view.options(800, "light")["physics"] == {"enabled": False}
    assert graph_view.options(800, "light")["interaction"]["hideEdgesOnDrag"]
    assert not graph_view.options(50, "light")["interaction"]["hideEdgesOnDrag"]


def test_each_type_has_one_colour_and_shape():
    names = [name for _, _, types in FAMILIES.values() for name in types]
    for theme in ("light", "dark"):
        assert len(names) == len({mark(name, theme) for name in names})
    assert ("#6b7280", "dot") == mark("never heard of", "light")


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("theme", "place"), [("light", 0), ("dark", 1)])
def test_every_mark_stands_out_from_the_page(theme, place):
    paper = luminance(graph_view.INK[theme][2]) + 0.05
    faint = []
    for family, colours in {**FAMILIES, **BECAME}.items():
        mark_ = luminance(colours[place]) + 0.05
        if max(mark_, paper) / min(mark_, paper) < 3:
            faint.append(family)

    assert [] == faint
