"""Tables that agree, by dense algebra: constraints written down one by one, null spaces, and an active-set solver."""

from itertools import combinations

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import nnls
from table_doubles import incidence


def agreement(domains, subsets):
    """Rows that are 0 on tables, one after the other, that agree wherever two of them overlap; and their totals."""
    cells = sum(int(np.prod([domains[i] for i in subset])) for subset in subsets)
    rows = [np.zeros((0, cells))]
    sizes = np.cumsum([0, *(int(np.prod([domains[i] for i in subset])) for subset in subsets)])
    joints = {subset: incidence(domains, subset) for subset in subsets}

    def sums(subset, part):
        return incidence(domains, part) @ joints[subset].T > 0

    for (a, first), (b, second) in combinations(enumerate(subsets), 2):
        part = tuple(sorted(set(first) & set(second)))
        row = np.zeros((len(incidence(domains, part)), sizes[-1]))
        row[:, sizes[a] : sizes[a + 1]] = sums(first, part)
        row[:, sizes[b] : sizes[b + 1]] -= sums(second, part)
        rows.append(row)
    totals = np.zeros((len(subsets), sizes[-1]))
    for a in range(len(subsets)):
        totals[a, sizes[a] : sizes[a + 1]] = 1
    return np.vstack(rows), totals


def nearest_tables(domains, subsets, tables, weights=None):
    """The nearest tables that agree and total 1, by weighted squares, from the null space of the constraints."""
    cells = np.concatenate([tables[subset] for subset in subsets])
    root = np.sqrt(np.concatenate([np.full(len(tables[s]), 1.0 if weights is None else weights[s]) for s in subsets]))
    equal, totals = agreement(domains, subsets)
    constraints = np.vstack([equal, totals])
    wanted = np.concatenate([np.zeros(len(equal)), np.ones(len(totals))])
    start = np.linalg.lstsq(constraints, wanted, rcond=1e-12)[0]
    free = null_space(constraints, rcond=1e-10)
    return start + free @ np.linalg.lstsq(root[:, None] * free, root * (cells - start), rcond=1e-12)[0]


def nearest_nonnegative_tables(domains, subsets, tables):
    """The nearest tables that agree, total 1 and have no negative cell: least distance programming.

    Lawson, Hanson, *Solving least squares problems*, chapter 23: the least c with G c >= h, from nonnegative least
    squares.
    """
    start = nearest_tables(domains, subsets, tables)
    free = null_space(np.vstack(agreement(domains, subsets)), rcond=1e-10)
    system = np.vstack([free.T, -start])
    target = np.zeros(len(system))
    target[-1] = 1
    found, _ = nnls(system, target, maxiter=20 * len(start))
    residual = system @ found - target
    return start + free @ (-residual[:-1] / residual[-1])
