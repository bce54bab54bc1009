"""Marginal tables: sets of attributes, their decomposition, and tables that agree with each other."""
