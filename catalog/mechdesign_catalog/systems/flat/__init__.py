"""Frequency and mean oracles, one module a family."""
