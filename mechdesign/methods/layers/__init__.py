"""Layers: one mechanism for every size, geometric with an exact layer at its ends."""
