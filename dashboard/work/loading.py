"""Preload the modules of the pages before the first visit."""

from __future__ import annotations

from importlib import import_module

# What takes longest to load of all that a page imports when it is first opened.
SLOW_MODULES = ("pandas", "pyarrow", "plotly.graph_objects", "pyvis.network", "dashboard.frame")


def preload_modules() -> None:
    """Load them; a page that needs one of them meanwhile waits for that one alone."""
    for name in SLOW_MODULES:
        import_module(name)
    # Reads the library that draws graphs.
    import_module("dashboard.graph.graph_element").element_source()
