"""Studies of commuting: local oracles on counts of people by origin and destination."""
