"""Find local mechanisms for workloads: rows of two probabilities, their weights, and the dual that bounds them."""
