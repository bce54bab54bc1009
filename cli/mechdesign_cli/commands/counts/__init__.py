"""Publish counts, compare mechanisms on data, and estimate from what was released."""
