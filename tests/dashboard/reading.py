"""Helpers that read the elements of a page."""

from __future__ import annotations

TRAP = '<script>alert(1)</script> ![x](http://127.0.0.9/x.png) "quoted" </script>'
_SAID = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info")
_LABELLED = ("button", "selectbox", "multiselect", "text_input", "checkbox", "toggle", "radio")


def titles(app):
    return [title.value for title in app.title]


def texts_read_as_markdown(app):
    """Everything on the page that Streamlit would read as markdown."""
    found = [element.value for kind in (*_SAID, "success") for element in app.get(kind)]
    return found + [widget.label for kind in _LABELLED for widget in app.get(kind)]


def pressed(app, label):
    """Press the button of that label, and return the page after it."""
    return next(button for button in app.button if button.label == label).click().run()
