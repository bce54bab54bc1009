"""Active outputs: a local mechanism uses few outputs, and an interior point shows which, and how.

Where all inputs are neighbours and no property is asked, the best row for output i at prices y of the inputs has
entries 1 where it gains, and alpha where it does not: `sum_j min(R_ij, alpha R_ij)` with `R_ij = cost_ij - y_j`. A
point near the middle of all optima tells the entries of both kinds from the few between, so the exact vertex is a small
system. Where it cannot tell, which lopsided priors do, outputs that pay join a linear program one after another.
"""
