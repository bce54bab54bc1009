"""Draw comparisons of mechanisms."""
