"""Estimate marginal tables of users who have several attributes each: systems, consistency, and what tables are for."""
