"""Run the studies of commuting again: local oracles on counts of origin and destination."""
