"""Each page over an empty memory, over the demonstration, and over names that are traps."""

from __future__ import annotations

import pytest

from dashboard.auth import Guesses

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted" </script>'
PAGES = ("overview", "graph", "search", "server")


def titles(app):
    return [title.value for title in app.title]


def texts_read_as_markdown(app):
    """Everything on the page that Streamlit would read as markdown."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info")
    found = [element.value for kind in kinds for element in app.get(kind)]
    widgets = ("button", "selectbox", "multiselect", "text_input", "checkbox", "toggle", "radio")
    return found + [widget.label for kind in widgets for widget in app.get(kind)]


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("overview", "Nothing is remembered yet"),
        ("graph", "There is no graph yet"),
        ("search", "Ask as an assistant would"),
        ("server", "The MCP server is stopped"),
    ],
)
def test_an_empty_memory_is_no_error(visit, its_memory, page, title):
    app = visit(page)

    assert not app.exception
    assert [title] == titles(app)


def test_the_demonstration_is_one_click_away(visit, its_memory):
    app = visit("overview")
    next(b for b in app.button if b.label == "Load the demonstration").click().run()

    assert not app.exception
    assert ["89 of 89 entities changed today"] == titles(app)
    assert "harbour" == app.selectbox(key="project").value
    events = its_memory.timelines.list_events(project_id="harbour", order="DESC", limit=1).events
    assert "demonstration" == events[0].actor


def test_the_demonstration_shows_on_every_page(visit, its_demonstration):
    expected = {
        "overview": "99 of 99 entities changed today",
        "graph": "99 entities, 165 relations between them",
        "search": "Ask as an assistant would",
        "server": "The MCP server is stopped",
    }

    for page, title in expected.items():
        app = visit(page)
        assert not app.exception, page
        assert [title] == titles(app)


def test_a_project_is_shown_alone(visit, its_demonstration):
    assert ["10 entities, 12 relations between them"] == titles(
        visit("graph", project="vt-firmware")
    )


def test_a_question_is_answered_with_ranks(visit, its_demonstration):
    app = visit("search", query="why was the bell retired in the Net Loft")

    assert not app.exception
    table = app.dataframe[0].value
    assert table["Passage"].str.contains("bell in the Net Loft was retired").any()
    assert 1 in list(table["Lexical rank"])


def test_weights_by_rank_can_be_tried(visit, its_demonstration):
    app = visit("search", query="seat hold")
    app.radio[0].set_value("by rank").run()
    next(s for s in app.slider if s.label == "Vector").set_value(0.0).run()

    assert not app.exception
    assert app.dataframe[0].value["Vector rank"].isna().all()


def test_the_graph_can_be_drawn_around_one_node(visit, its_demonstration):
    app = visit("graph", graph_asked=("vt-firmware", "bootloader"))
    around = titles(app)
    next(b for b in app.button if b.label == "Whole graph").click().run()

    assert ["3 entities within 1 hop, 2 relations between them"] == around
    assert ["99 entities, 165 relations between them"] == titles(app)


def test_an_entity_that_is_gone_does_not_break_the_graph(visit, its_demonstration):
    app = visit("graph", graph_asked=("vt-firmware", "bootloader"))
    its_demonstration.graph.delete_entity("bootloader", project_id="vt-firmware")
    app.run()

    assert not app.exception
    assert ["98 entities, 163 relations between them"] == titles(app)


@pytest.mark.parametrize("page", PAGES)
def test_no_markup_from_memory_is_ever_read(visit, its_memory, page):
    made = its_memory.graph.create_entity(TRAP, "person", project_id="trap", id="trap")
    its_memory.observations.add_observation(made.entity.id, TRAP, project_id="trap")
    its_memory.knowledge.add_document(TRAP, TRAP, project_id="trap")
    app = visit(page, graph_asked=("trap", "trap"), query="alert quoted")

    assert not app.exception
    assert [] == [text for text in texts_read_as_markdown(app) if "alert(1)" in text]


def test_a_password_keeps_the_pages_closed(visit, monkeypatch, its_demonstration):
    locked = its_demonstration.settings.model_copy(
        update={"dashboard_password": _Secret("open sesame")}
    )
    monkeypatch.setattr("dashboard.state.memory", lambda: _With(its_demonstration, locked))
    app = visit("overview")
    closed = titles(app)
    app.text_input[0].set_value("open barley")
    app.button[0].click().run()
    refused = titles(app)
    app.text_input[0].set_value("open sesame")
    app.button[0].click().run()

    assert ["This memory is locked"] == closed == refused
    assert ["99 of 99 entities changed today"] == titles(app)


def test_whoever_tried_too_many_passwords_waits(visit, monkeypatch, its_demonstration):
    locked = its_demonstration.settings.model_copy(
        update={"dashboard_password": _Secret("open sesame")}
    )
    tired = Guesses(lambda: 0.0)
    while tired.may_try():
        pass
    monkeypatch.setattr("dashboard.state.memory", lambda: _With(its_demonstration, locked))
    monkeypatch.setattr("dashboard.state._guesses", lambda: tired)
    app = visit("overview")

    app.text_input[0].set_value("open sesame")
    app.button[0].click().run()

    assert ["This memory is locked"] == titles(app)
    assert "Too many passwords" in app.error[0].value


class _Secret:
    def __init__(self, value):
        self._value = value

    def get_secret_value(self):
        return self._value


class _With:
    """A memory with other settings."""

    def __init__(self, memory, settings):
        self._memory = memory
        self.settings = settings

    def __getattr__(self, name):
        return getattr(self._memory, name)


def test_the_overview_shows_unread_bottles_and_what_each_day_brought(visit, its_demonstration):
    waiting = its_demonstration.bottles.list_bottles(project_id="harbour").total
    app = visit("overview", project="harbour")
    headings = [heading.value for heading in app.subheader]
    days = next(each.value for each in app.dataframe if "Day" in each.value)

    assert not app.exception
    assert {"Unread bottles", "Changes a day, last 30 days"} <= set(headings)
    assert [f"Go to all {waiting} bottles"] == [
        link.proto.label for link in app.get("page_link") if "bottles" in link.proto.label
    ]
    assert ["Day", "Created", "Changed", "Deleted"] == list(days.columns)
    assert 400 < days["Created"].sum()


def test_a_removed_file_is_reported_and_not_replaced_by_an_empty_one(visit, its_demonstration):
    path = its_demonstration.db.path
    for file in path.parent.glob(f"{path.name}*"):
        file.rename(file.with_name(f"moved-{file.name}"))
    app = visit("curate")

    assert not app.exception
    assert any("could not be shown" in error.value for error in app.error)
    assert any("was removed while it was open" in code.value for code in app.code)
    assert not path.exists()
