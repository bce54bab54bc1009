"""Variances in closed form for domains that are too large to enumerate, each held against the general formula."""
