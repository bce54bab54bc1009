"""Sampled branches, each of which tells a part of what the tables need."""
