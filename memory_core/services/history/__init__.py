"""History: earlier states of the graph, the timeline and undo."""
