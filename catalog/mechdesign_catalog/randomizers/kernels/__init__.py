"""Draw bits and sets, hash, and transform: what oracles are made of."""
