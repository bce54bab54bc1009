"""Estimate from released counts of groups of several sizes at once, and from the record of their release."""
