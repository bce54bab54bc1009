"""Ordered items from local reports: quantiles, heavy ranges, AUC, means, item sets."""
