"""Saving what a person changed: conflicts named, nothing typed lost, a way back."""
