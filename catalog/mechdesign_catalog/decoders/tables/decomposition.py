"""Decomposition of marginal tables by sets of attributes, with pooling of several tables.

The *component* of a set S of attributes is the part of the table of S that no smaller table tells: a table of S whose
sum over any one of its attributes is 0. The component of no attribute is the total. With `r_S` the product of the
domains of S, any table is the sum of its components, each spread evenly over the cells of the other attributes,

    t_beta(c) = sum over S within beta of  component_S(c restricted to S) / r_(beta without S).

This is the analysis of variance, or the decomposition of Hoeffding (1948) and of Efron and Stein (1981). For attributes
of two items the component of S is one number, its Walsh-Fourier coefficient (Kulkarni's thesis, Lemma 6).

Errors that treat all cells of a table alike, with c their variance less their covariance, give the component of S an
error of variance `c r_beta/r_S` within the space of components, and different components errors that are uncorrelated.
So least squares, over tables that should agree, goes component by component: weights are those of inverse variances.
`cell_precision` has `1/c` for one report.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

import numpy as np

from mechdesign_catalog.decoders.tables.subsets import Domains, Subset, cells_of
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Weights = dict[Subset, dict[Subset, float]]
"""For each set of attributes, the weights of the tables that its component is averaged from."""


def subsets_within(subset: Subset) -> list[Subset]:
    """List all subsets, the smaller ones first: the empty set, and at last the set itself."""
    return [part for size in range(len(subset) + 1) for part in combinations(subset, size)]


def summed_table(table: Floats, domains: Domains, subset: Subset, part: Subset) -> Floats:
    """Sum a table of `subset`, shape (..., cells), to the table of some of its attributes, shape (..., fewer cells)."""
    shaped = _shaped(table, domains, subset)
    lead = np.ndim(table) - 1
    others = tuple(lead + place for place, i in enumerate(subset) if i not in part)
    found: Floats = shaped.sum(axis=others).reshape(*np.shape(table)[:-1], -1)
    return found


def component(table: Floats, domains: Domains, subset: Subset, part: Subset) -> Floats:
    """Compute the component of `part` from a table of `subset`, shape (..., cells); shape (..., cells of part)."""
    sums = summed_table(table, domains, subset, part)
    shaped = _shaped(sums, domains, part)
    for axis in range(np.ndim(table) - 1, shaped.ndim):
        shaped = shaped - shaped.mean(axis=axis, keepdims=True)
    return shaped.reshape(sums.shape)


def components(table: Floats, domains: Domains, subset: Subset) -> dict[Subset, Floats]:
    """Decompose a table, shape (..., cells), into the components of all subsets, shape (..., cells of each).

    >>> parts = components(np.array([0.5, 0.25, 0.125, 0.125]), (2, 2), (0, 1))
    >>> {part: values.tolist() for part, values in parts.items()}
    {(): [1.0], (0,): [0.25, -0.25], (1,): [0.125, -0.125], (0, 1): [0.0625, -0.0625, -0.0625, 0.0625]}
    """
    return {part: component(table, domains, subset, part) for part in subsets_within(subset)}


def table_from_components(parts: Mapping[Subset, Floats], domains: Domains, subset: Subset) -> Floats:
    """Compose the table of `subset` from the components of all its subsets; shape (..., cells).

    Components of other subsets may be there too. None may be missing: one that is not known must be zeros.
    """
    lead = np.shape(parts[()])[:-1]
    found = np.zeros(lead + tuple(domains[i] for i in subset))
    for part in subsets_within(subset):
        spread = tuple(domains[i] if i in part else 1 for i in subset)
        others = tuple(i for i in subset if i not in part)
        found += parts[part].reshape(lead + spread) / cells_of(domains, others)
    return found.reshape(*lead, -1)


def component_map(domains: Domains, target: Subset, source: Subset, part: Subset) -> Floats:
    """Form the matrix that takes a table of `source` to what the component of `part` adds to the table of `target`.

    `part` must be within both; shape (cells of target, cells of source). It is a Kronecker product over the attributes:
    a centring `I - J/r` for those of the part, `J/r` for others of both, a column of `1/r` or a row of 1 for the rest.
    """
    found = np.ones((1, 1))
    for i in sorted({*target, *source}):
        r = domains[i]
        shape = (r if i in target else 1, r if i in source else 1)
        evenly = np.full(shape, 1 / r if i in target else 1.0)
        found = np.kron(found, np.eye(r) - evenly if i in part else evenly)
    return found


def cell_precision(moments: Moments, cells: int) -> Fraction:
    """Compute what one report about a table of so many cells weighs in least squares, `1/c`.

    At equal shares the noise of an exchangeable oracle and the sampling of its users together treat all cells alike: c
    is the variance of a cell less the covariance of two. At other shares they do not; but averaged over the free
    directions of a component, the noise is the same whatever the shares are, and the sampling is no larger.

    >>> from mechdesign_catalog.randomizers.reports.probabilities import Support
    >>> randomised = Moments.of(Support(Fraction(3, 4), Fraction(1, 4)), both=Fraction(0), with_own=Fraction(0))
    >>> cell_precision(randomised, 2)
    Fraction(1, 2)
    """
    _, identity = moments.at_uniform_shares(cells)
    return 1 / (identity + Fraction(1, cells))


def component_weights(domains: Domains, precisions: Mapping[Subset, float]) -> Weights:
    """Compute the weights by which least squares averages each component over the tables that tell it.

    The total is known, so the empty set has no weights.

    Args:
        domains: number of items of each attribute.
        precisions: for each table that was estimated, at least one, the inverse `1/c` of the variance of a cell less
            the covariance of two: for n users of an exchangeable oracle, n times `cell_precision`. Any common factor
            may be left out.

    Returns:
        For each set but the empty one that a table tells, weights in proportion to `1/(c r_beta)`, which sum to 1.
    """
    found: Weights = {}
    for subset, precision in precisions.items():
        for part in subsets_within(subset)[1:]:
            found.setdefault(part, {})[subset] = precision / cells_of(domains, subset)
    for weights in found.values():
        total = sum(weights.values())
        for subset in weights:
            weights[subset] /= total
    return found


def pooled_components(tables: Mapping[Subset, Floats], domains: Domains, weights: Weights) -> dict[Subset, Floats]:
    """Average each component over the tables that tell it; the component of the empty set is the known total, 1.

    Args:
        tables: the estimated tables, shape (..., cells) each.
        domains: number of items of each attribute.
        weights: as `component_weights` has them.
    """
    lead = np.shape(next(iter(tables.values())))[:-1]
    found: dict[Subset, Floats] = {(): np.ones((*lead, 1))}
    for part, shares in weights.items():
        terms = [share * component(tables[subset], domains, subset, part) for subset, share in shares.items()]
        found[part] = np.sum(terms, axis=0)
    return found


def _shaped(table: Floats, domains: Domains, subset: Subset) -> Floats:
    return np.reshape(table, np.shape(table)[:-1] + tuple(domains[i] for i in subset))
