"""Facts about people, and the conversations that they come from."""
