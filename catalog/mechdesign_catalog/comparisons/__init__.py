"""Comparisons of mechanisms on counts, and of oracles on items."""
