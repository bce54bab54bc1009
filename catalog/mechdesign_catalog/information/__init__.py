"""Compute how much a report of each oracle tells, and the least variance that linear estimates from it have."""
