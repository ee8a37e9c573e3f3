"""What was: the graph of earlier moments, the timeline, and taking back."""
