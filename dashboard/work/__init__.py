"""Long work in the background, and what is looked at again meanwhile."""
