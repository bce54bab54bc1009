"""Compare mechanisms on counts and oracles on items."""
