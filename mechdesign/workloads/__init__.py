"""Workloads: sets of linear queries on the shares of k items, as values that designs and comparisons share."""
