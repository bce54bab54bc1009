"""Marginal tables of users with several attributes: systems, consistency, uses."""
