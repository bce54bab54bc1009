"""Shares of items on a circle, from reports about rows of cells at public shifts."""
