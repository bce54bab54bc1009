"""Estimates from released counts of groups of several sizes, and from the release's record."""
