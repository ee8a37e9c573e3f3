"""Search: from a question to a ranking, and from a ranking to an answer."""
