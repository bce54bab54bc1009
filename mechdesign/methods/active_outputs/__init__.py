"""Active outputs: a local mechanism that uses few outputs, the others priced by one pass each.

Where all inputs are neighbours and no property is asked, the best row for output i at prices y of the inputs has
entries 1 where it gains, and alpha where it does not: `sum_j min(R_ij, alpha R_ij)` with `R_ij = cost_ij - y_j`. So a
linear program over some outputs says by its prices which others would pay, and these join until none does. The optimum
uses few of them but at a small alpha.
"""
