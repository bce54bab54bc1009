"""Implement the frequency and mean oracles, one module a family."""
