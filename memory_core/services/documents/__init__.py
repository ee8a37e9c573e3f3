"""Documents: their chunks, and the facts that their text states."""
