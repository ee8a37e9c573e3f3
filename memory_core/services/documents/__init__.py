"""Documents: their chunks, and what their text states."""
