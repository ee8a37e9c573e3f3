"""One entity: what is known of it, the form to change it, its past."""
