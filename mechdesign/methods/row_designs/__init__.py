"""Local mechanisms for workloads: rows of two probabilities, weights, and a dual bound."""
