"""Linear programs with rows of any length, and their exact optimum."""
