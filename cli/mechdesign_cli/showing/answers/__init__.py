"""Answers from users' reports: shares, ranges, quantiles, and doubts about them."""
