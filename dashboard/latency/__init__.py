"""How long searches take, as figures and as tables."""
