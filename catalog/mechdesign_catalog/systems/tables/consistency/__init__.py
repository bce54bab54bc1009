"""Consistency of the tables of a collection, without negative shares, and larger tables."""
