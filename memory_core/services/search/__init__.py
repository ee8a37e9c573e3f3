"""Search pipeline: parse the query, rank the candidates, build the results."""
