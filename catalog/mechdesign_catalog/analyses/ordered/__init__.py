"""Answer questions about ordered items from local reports: quantiles, heavy ranges and items, AUC, means, item sets."""
