"""Faults made on purpose: the tests run a few of each, ``python -m benchmarks.soak`` many."""
