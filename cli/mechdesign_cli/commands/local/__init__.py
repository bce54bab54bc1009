"""Collect reports under local privacy, and compare the oracles that make them."""
