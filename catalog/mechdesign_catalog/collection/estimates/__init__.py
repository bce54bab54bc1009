"""Estimates from the sums of reports: shares, means, tables, answers to queries."""
