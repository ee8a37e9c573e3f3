"""The map of the graph, what is asked of it, and the card beside it."""
