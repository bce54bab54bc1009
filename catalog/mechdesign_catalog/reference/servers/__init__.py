"""Estimate from reports in exact rationals, one report after the other: what a server computes."""
