"""Split-and-cut: a count's matrix as steps away from the diagonal, with steps and rows made as they are needed.

With `P[i,j] = alpha^|i-j| z[i,j]` privacy away from the diagonal says that z never falls on its way out. So the steps
up of z are the variables, all at least 0, and the geometric mechanism is the point without a step. Every other row is a
cut, added where the point at hand breaks it; a step is added where its reduced cost is negative, which sums along each
row tell of all steps at once. The optimum has few of both, so the program stays of the order of a column.
"""
