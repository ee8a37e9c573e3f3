"""Earlier moments: what differs, how it is drawn, and the ways back."""
