"""Find an exactly optimal vertex of the linear program, or repair a matrix in integers."""
