"""Facts from plain English statements, without a model."""
