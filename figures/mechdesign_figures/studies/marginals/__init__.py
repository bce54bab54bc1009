"""Studies of marginals: chapter 4 of Kulkarni's thesis, and where each method is best."""
