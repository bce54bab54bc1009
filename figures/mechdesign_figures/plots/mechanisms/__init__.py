"""Pictures of comparisons of mechanisms."""
