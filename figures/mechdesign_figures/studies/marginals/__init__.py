"""Run the studies of marginals again: chapter 4 of Kulkarni's thesis, and where each method is the best."""
