"""Search form, results and comparison."""
