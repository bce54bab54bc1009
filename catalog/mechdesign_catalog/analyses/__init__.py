"""Analyses of estimates: ordered items, dependence of attributes, post-processing."""
