"""Facts from plain English statements, without a language model."""
