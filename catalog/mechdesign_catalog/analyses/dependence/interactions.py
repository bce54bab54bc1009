"""Interactions: a table's distance from independence, with the distance's covariance.

Tables of pairs have shape (r, s), cells in a row have the second attribute fastest. Contrasts are the orthonormal ones
of Helmert, H_r of shape (r - 1, r).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.errors import InputError
from mechdesign.machine import memory_limit, readable_bytes
from mechdesign_catalog.decoders.simplex import norm_sub
from mechdesign_catalog.decoders.tables.subsets import Domains, IndependentShares, Subset, cells_of
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.systems.tables.estimates import TableSource, UnbiasedTables

SMALLEST_TOTAL = 1e-13
"""Variance of a total, as a share of the largest variance of a cell, from which on the total is known exactly."""

MATRICES = 30
"""Matrices of the size of a covariance that a test holds at once, at most."""

SMALLEST_DIRECTION = 1e-10
"""Variance of a direction, as a share of the largest one, below which nothing varies along it."""


@dataclass(frozen=True, eq=False)
class Interaction:
    """A table of two attributes, of total 1, and the covariance of its noise where they are independent.

    The interaction of two attributes is `delta_ij = p_ij - p_i. p_.j`, which is 0 everywhere where they are
    independent. It has `(r - 1)(s - 1)` free directions: the entries of `H_r delta H_s'`, in a row.

    The noise is that of the reports: users are fixed. They are a sample as well, which adds the multinomial covariance
    `(diag(p) - p p') / n`. Both together are the covariance of the table about the law that users are drawn from.

    Attributes:
        table: unbiased shares, shape (r, s).
        noise: covariance of the cells at `independent`, shape (r s, r s).
        margins: shares of the items of either attribute, which are a law.
        users: number of users.
    """

    table: Floats
    noise: Floats
    margins: tuple[Floats, Floats]
    users: int

    @classmethod
    def of(cls, cells: Floats, covariance: Floats, margins: tuple[Floats, Floats], users: int) -> "Interaction":
        """Take unbiased shares of the cells; where their total varies, it is made 1 by least squares.

        With the covariance V of the cells x, `x - V 1 (1'x - 1) / (1'V1)` is the nearest table of total 1 in the
        metric of V; its covariance is `V - V 1 1'V / (1'V1)`.
        """
        towards = covariance.sum(axis=1)
        total = towards.sum()
        if total > SMALLEST_TOTAL * np.diag(covariance).max(initial=0.0):
            cells = cells - towards * (cells.sum() - 1) / total
            covariance = covariance - np.outer(towards, towards) / total
        return cls(cells.reshape([len(shares) for shares in margins]), covariance, margins, users)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of items of either attribute."""
        r, s = self.table.shape
        return r, s

    @cached_property
    def independent(self) -> Floats:
        """The table of independent attributes with these margins, shape (r, s)."""
        return np.outer(*self.margins)

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the cells where the attributes are independent: noise and sampling, shape (r s, r s)."""
        cells = self.independent.reshape(-1)
        return np.asarray(self.noise + (np.diag(cells) - np.outer(cells, cells)) / self.users)

    @cached_property
    def _bias(self) -> Floats:
        """Of the product of the margins: the covariance of their estimates, in contrasts."""
        r, s = self.shape
        of_margins = np.einsum("ijkl->il", self.covariance.reshape(r, s, r, s))
        return _in_contrasts(of_margins)

    def contrasts(self, tables: Floats) -> Floats:
        """Compute the interaction of tables of total 1 and this covariance, shape (.., r, s) to (.., (r - 1)(s - 1)).

        What the noise of the margins adds to their product on average is taken off, so it is unbiased.
        """
        margins = tables.sum(axis=-1, keepdims=True) * tables.sum(axis=-2, keepdims=True)
        return _in_contrasts(tables - margins) + self._bias

    @cached_property
    def delta(self) -> Floats:
        """The estimated interaction in contrasts, shape ((r - 1)(s - 1),)."""
        return self.contrasts(self.table)

    @cached_property
    def delta_covariance(self) -> Floats:
        """Covariance of `delta` for normal estimates at independence, square of order (r - 1)(s - 1).

        With shares `p` and `q` of the items the derivative of `H_r delta H_s'` along a change of the table that keeps
        its total is `(H_r - H_r p 1') change (H_s - H_s q 1')'`: the delta method. The product of the margins' errors
        is left over; it is uncorrelated with what is linear, and its covariance is a sum of products of theirs.
        """
        r, s = self.shape
        left, right = (_centred(shares) for shares in self.margins)
        spread = self.covariance.reshape(r, s, r, s)
        linear = np.einsum("ai,bj,ijkl,ck,dl->abcd", left, right, spread, left, right, optimize=True)
        first, second = helmert(r), helmert(s)
        rows = first @ np.einsum("ijkl->ik", spread) @ first.T
        columns = second @ np.einsum("ijkl->jl", spread) @ second.T
        both = first @ np.einsum("ijkl->il", spread) @ second.T
        products = np.einsum("ac,bd->abcd", rows, columns) + np.einsum("ad,cb->abcd", both, both)
        free = (r - 1) * (s - 1)
        return np.asarray((linear + products).reshape(free, free))

    @cached_property
    def directions(self) -> Floats:
        """Unit directions of `delta` at independence, shape (directions, (r - 1)(s - 1))."""
        return unit_directions(self.delta_covariance)

    def draw_independent(self, count: int, generator: np.random.Generator) -> Floats:
        """Draw estimated tables as they are where the attributes are independent: normal, shape (count, r, s).

        Their mean is `independent`, their covariance that of noise and sampling.
        """
        middle, factor = self.independent.reshape(-1), self._root
        drawn = middle + generator.standard_normal((count, factor.shape[1])) @ factor.T
        return np.asarray(drawn.reshape(count, *self.shape))

    @cached_property
    def _root(self) -> Floats:
        """A matrix F with `F F'` the covariance; it is singular, and rounding may leave it a little below 0."""
        variances, axes = np.linalg.eigh(self.covariance)
        return np.asarray(axes * np.sqrt(np.maximum(variances, 0.0)))


def unit_directions(covariance: Floats) -> Floats:
    """Find a matrix W for which `W x` has uncorrelated entries of variance 1, where x has this covariance.

    Directions along which nothing varies are left out; shape (directions, length of x).
    """
    variances, axes = np.linalg.eigh(covariance)
    kept = variances > SMALLEST_DIRECTION * variances.max(initial=0.0)
    return np.asarray((axes[:, kept] / np.sqrt(variances[kept])).T)


def interactions(source: TableSource, pairs: Sequence[Subset]) -> Iterator[Interaction]:
    """Estimate the interactions of pairs of attributes, one after the other, as each holds several covariances.

    The covariance of noise is that at independent attributes with the estimated shares of items, put on the simplex: at
    the estimated table itself it could be far too small where few users reported, as 0 where all of them say the same.

    Raises:
        InputError: for tables that are not unbiased, or of one attribute at most, or that do not fit the memory.
    """
    unbiased = as_unbiased(source, "a test")
    require_pairs(source)
    require_pairs_fit(source.domains, pairs)
    one_way = unbiased.shares([(i,) for i in range(len(source.domains))])
    law = IndependentShares(source.domains, tuple(norm_sub(shares) for shares in one_way))
    return (
        Interaction.of(cells, unbiased.covariance((a, b), law), (law.margins[a], law.margins[b]), source.users)
        for (a, b), cells in zip(pairs, unbiased.shares(pairs), strict=True)
    )


def as_unbiased(source: TableSource, what: str) -> UnbiasedTables:
    """Return tables whose covariance is that of their shares; refuse others."""
    if source.unbiased and isinstance(source, UnbiasedTables):
        return source
    raise InputError(f"post must be least-squares or raw for {what}, which needs unbiased tables, got {source.post}")


def require_pairs(source: TableSource) -> None:
    """Refuse collections of fewer than two attributes, or of tables of one attribute."""
    if len(source.domains) < 2:
        raise InputError(f"attributes must be at least 2 to depend on each other, got {len(source.domains)}")
    if source.way < 2:
        raise InputError("k must be at least 2 for tables of two attributes to be collected, got k=1")


def require_pairs_fit(domains: Domains, pairs: Sequence[Subset]) -> None:
    """Refuse pairs of attributes of so many items that covariances of their tables do not fit the memory.

    Raises:
        InputError: with the largest table.
    """
    cells = max((cells_of(domains, pair) for pair in pairs), default=0)
    needed = MATRICES * 8 * cells**2
    if needed > memory_limit():
        raise InputError(
            f"a test must fit the memory ({readable_bytes(memory_limit())} of it may be used), got a table of "
            f"{cells} cells, about {readable_bytes(needed)}"
        )


def helmert(items: int) -> Floats:
    """Return the orthonormal contrasts of an attribute, shape (items - 1, items)."""
    from scipy.linalg import helmert as full

    return np.asarray(full(items), dtype=np.float64)


def _in_contrasts(tables: Floats) -> Floats:
    r, s = tables.shape[-2:]
    found: Floats = (helmert(r) @ tables @ helmert(s).T).reshape(*tables.shape[:-2], (r - 1) * (s - 1))
    return found


def _centred(shares: Floats) -> Floats:
    contrasts = helmert(len(shares))
    return np.asarray(contrasts - (contrasts @ shares)[:, None])
