"""Choose and compare the oracles of local privacy."""
