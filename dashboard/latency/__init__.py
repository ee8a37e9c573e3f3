"""Charts and tables of search latency."""
