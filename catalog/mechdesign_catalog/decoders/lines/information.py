"""Pooled information of several levels on items in a row: least squares, exact variance.

With the levels l drawn with the chances p_l, `A = P sum_l p_l S_l G_l S_l' P` is the information of a report about the
shares, P taking means away (`Partitions`). The statistic of a report of level l is `S_l G_l (y - c)`; the mean over all
reports is s, and the estimated shares are `1/k + A^-1 s`. A report of a user who has the item u has the mean statistic
`A (e_u - 1/k)`, so they are unbiased whatever the shares are, and however many users each level happens to have.

A query with the weights q answers `mean(q) + z's`, where `A z = P q`. A user who has the item u adds to n times n its
variance

    f_u = sum_l p_l E[(z'S_l G_l (y - c))^2 | u] - (q_u - mean(q))^2,

for users whose items are fixed and who draw their levels by themselves. Where items are equally frequent its mean is
`q'P A^-1 P q - |P q|^2 / k`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from mechdesign.errors import NoAnswerError
from mechdesign.workloads.queries import Centred, Floats, Intervals, Queries
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.lines.cut_form import CutForm, products_of, sums_of, written
from mechdesign_catalog.decoders.lines.cut_level import Partitions
from mechdesign_catalog.decoders.lines.mirrored import halves, is_mirrored, joined

MOST_DENSE = 1 << 12
"""Items up to which the inverse of the information is written down."""

SETTLED = 1e-13
"""An iterated solution is told when its residual is below this part of what it solves for."""

FAIR = 1e-4
"""The part of `q'z` by which the last step changes it, where variances are told (`CutForm.solved`)."""

SMALL = 1e-5
"""Beyond `MOST_DENSE` items variances leave out what is surely below this part of a level's information."""

AT_ONCE, FEW_AT_ONCE = 1 << 20, 8
"""Numbers in the solutions of the queries that are solved for at once; and so many queries at least."""

NEARLY, MOST_ROUNDS = 1e-11, 20
"""The same where shares are told, which takes several rounds; and how many it may take."""


@dataclass(frozen=True, eq=False)
class Information:
    """The information A of a report of some level.

    Args:
        levels: partitions of each level.
        chances: how often each level is drawn, p_l.
    """

    levels: Sequence[Partitions]
    chances: Floats

    @property
    def k(self) -> int:
        """Number of items."""
        return self.levels[0].k

    def times(self, values: Floats) -> Floats:
        """Return `A x`, shape (k,), in a number of steps in proportion to that of the cells."""
        inner, found = centred(values), np.zeros(self.k)
        for chance, level in zip(self.chances, self.levels, strict=True):
            found += chance * level.times(inner)
        return centred(found)

    @cached_property
    def leaning(self) -> list[bool]:
        """Of which levels the vectors h count: of all up to `MOST_DENSE` items, then where they tell above `SMALL`."""
        return [self.k <= MOST_DENSE or level.greatest_lean > SMALL for level in self.levels]

    @cached_property
    def form(self) -> CutForm:
        """The information A as a form in running sums; exact up to `MOST_DENSE` items, then to the part `SMALL`."""
        pairs = zip(self.levels, self.leaning, strict=True)
        return CutForm.pooled((level.form(leans) for level, leans in pairs), self.chances)

    def matrix(self, with_leans: bool) -> Floats:
        """Write the matrix of the form down, with or without the vectors h of all levels."""
        levels = zip(self.chances, self.levels, strict=True)
        terms = [(term, float(chance)) for chance, level in levels for term in level.terms(with_leans)]
        return written(*zip(*terms, strict=True))

    @cached_property
    def inverse_sums(self) -> Floats:
        """Sums over the first rows and columns of the inverse of A on vectors that add up to 0, shape (k + 1, k + 1).

        Between the ends they are the inverse of the form.
        """
        found = np.zeros((self.k + 1,) * 2)
        found[1:-1, 1:-1] = inverse_of(self.matrix(with_leans=True))
        return found

    @property
    def inverse(self) -> Floats:
        """The inverse of A on vectors that add up to 0, and 0 on constants; shape (k, k)."""
        found: Floats = np.diff(np.diff(self.inverse_sums, axis=0), axis=1)
        return found

    @cached_property
    def least(self) -> float:
        """A lower bound of the smallest eigenvalue of A on vectors that add up to 0: that of the level of single items.

        It is 0 where no level has a cell for each item.
        """
        singles = zip(self.chances, self.levels, strict=True)
        found = [float(chance) * level.least_information for chance, level in singles if is_of_single_items(level)]
        return max([0.0, *found])

    def solved(self, values: Floats) -> Floats:
        """Return z that adds up to 0 with `A z = P x`, shape (k,); beyond `MOST_DENSE` items as `iterated`."""
        if self.k > MOST_DENSE:
            return self.iterated(centred(values))
        sums = self.inverse_sums[1:-1, 1:-1] @ -np.diff(values)
        return np.diff(sums, prepend=0.0, append=0.0)

    def variances(self, queries: Queries, shares: Floats) -> tuple[Floats, Floats]:
        """Compute n times the variance of each answer, shape (q,): at equal shares, and where items have these.

        Exact up to `MOST_DENSE` items. Beyond, in single precision and by few steps (`FAIR`), the relative error is
        some 3e-5; where shares are far from equal the solutions' errors count more, up to some 6e-4.

        Args:
            queries: on these items.
            shares: of the items, which add up to 1; shape (k,).
        """
        is_even = bool((shares == 1 / self.k).all())
        if is_even and self.k <= MOST_DENSE and isinstance(queries, Intervals):
            return (self._of_intervals(queries),) * 2
        excess = None if is_even else _excess(self, shares.tobytes())
        even, more = np.empty(len(queries)), np.zeros(len(queries))
        for rows in _parts(len(queries), self.k):
            solved, values = self._solved_sums(queries[rows])
            even[rows] = values - Centred(queries[rows]).squares / self.k
            if excess is not None:
                more[rows] = excess.squares(solved)
        more -= Centred(queries).apply_squares(shares - 1 / self.k)
        return np.maximum(even, 0.0), np.maximum(even, 0.0) + more

    def probed(self, queries: Queries) -> Floats:
        """Compute n times the variance of some answers at equal shares, shape (q,), without the inverse.

        The relative error is some 2e-4 at most.
        """
        found = np.empty(len(queries))
        for rows in _parts(len(queries), self.k):
            _, values = self.form.single.solved(sums_of(queries[rows]), FAIR)
            found[rows] = values - Centred(queries[rows]).squares / self.k
        return np.maximum(found, 0.0)

    def _of_intervals(self, queries: Intervals) -> Floats:
        """Return n times the variances of intervals at equal shares, where the inverse is written down."""
        first, end, sums = queries.first, queries.last + 1, self.inverse_sums
        solved = sums[end, end] - 2 * sums[first, end] + sums[first, first]
        return np.maximum(solved - Centred(queries).squares / self.k, 0.0)

    def widths(self, queries: Queries, even: Floats) -> Floats:
        """Bound by how much shares can move n times the variance of each answer from that at equal shares, shape (q,).

        It hangs on what reports tell of the own item beside the noise: little where epsilon is small.
        """
        centred_queries = Centred(queries)
        low, high = centred_queries.extremes()
        greatest = max(level.greatest_excess for level in self.levels)
        return greatest * (even + centred_queries.squares / self.k) + np.maximum(low**2, high**2)

    def _solved_sums(self, queries: Queries) -> tuple[Floats, Floats]:
        """Return the running sums of the solutions z of queries q, shape (k - 1, q), and each `q'z`."""
        rights = sums_of(queries)
        if self.k > MOST_DENSE:
            return self.form.single.solved(rights, FAIR)
        if isinstance(queries, Intervals):
            rows = self.inverse_sums[queries.last + 1] - self.inverse_sums[queries.first]
            solved: Floats = np.ascontiguousarray(rows[:, 1:-1].T)
        else:
            solved = self.inverse_sums[1:-1, 1:-1] @ rights
        return solved, products_of(rights, solved)

    def iterated(self, right: Floats) -> Floats:
        """Solve by repeated corrections, for a right side that adds up to 0, until the residual is `SETTLED` of it.

        Each is the solution for the residual by `form`, which is nearly A.

        Raises:
            NoAnswerError: where `MOST_ROUNDS` do not suffice.
        """
        found, residual = np.zeros(self.k), right
        enough = SETTLED * np.linalg.norm(right)
        for _ in range(MOST_ROUNDS):
            if np.linalg.norm(residual) <= enough:
                return found
            sums, _ = self.form.solved(-np.diff(residual)[:, None], NEARLY)
            found += np.diff(sums[:, 0], prepend=0.0, append=0.0)
            residual = right - self.times(found)
        raise NoAnswerError(f"shares must be found in {MOST_ROUNDS} rounds, got a residual above {SETTLED:g} of all")

    def error_bounds(self, queries: Queries, data: Floats, solved: Floats) -> Floats:
        """Bound by how much answers `q'z` of an approximate solution z of `A z = s` differ from the exact ones.

        A bound is `|P q| |s - A z|` over the least eigenvalue of A; shape (q,).
        """
        residual = float(np.linalg.norm(centred(data) - self.times(solved)))
        return np.sqrt(np.maximum(Centred(queries).squares, 0.0)) * (residual / self.least)

    def covariance(self, queries: Floats, solved: Floats, shares: Floats) -> Floats:
        """Compute n times the covariance of answers where items have these shares, shape (q, q).

        Args:
            queries: their weights, shape (q, k).
            solved: their solutions z, shape (q, k).
            shares: the shares, which add up to 1, shape (k,).
        """
        inner = queries - queries.mean(axis=1, keepdims=True)
        found: Floats = -(inner * shares) @ inner.T
        for chance, level in zip(self.chances, self.levels, strict=True):
            weights = np.array([level.weighed(level.of_cells(one)) for one in solved])
            found += chance * level.covariance(weights, level.of_cells(shares))
        return found

    def resistances(self) -> float:
        """Bound n times the sum of the variances of all prefixes by the cells alone, as in a network of resistors.

        Without its vectors h the information is a little less. What answers have by the item alone is not taken off.
        """
        return float(np.trace(inverse_of(self.matrix(with_leans=False))))

    def total_variance(self, workload: Workload) -> float:
        """Compute n times the sum of the variances of all answers where items are equally frequent, from the inverse.

        It is the trace of `W'W (A^-1 - P/k)`, W the queries.
        """
        gram = gram_matrix(workload)
        between = np.diff(np.diff(gram, axis=0), axis=1)
        solved = float(np.vdot(between, self.inverse_sums[1:-1, 1:-1]))
        return max(0.0, solved - float(np.trace(gram)) / self.k)


def gram_matrix(workload: Workload) -> Floats:
    """Return `W'W` less the means of its rows and columns, shape (k, k)."""
    found = np.array([workload.gram_times(unit) for unit in np.eye(workload.k)])
    found -= found.mean(axis=0)
    found -= found.mean(axis=1)[:, None]
    return found


def centred(values: Floats) -> Floats:
    """Take the mean away: `P x`."""
    found: Floats = values - values.mean()
    return found


def _parts(count: int, k: int) -> Iterator[slice]:
    """Yield the rows that are solved for at once."""
    step = max(FEW_AT_ONCE, AT_ONCE // k)
    return (slice(start, start + step) for start in range(0, count, step))


@lru_cache(maxsize=2)
def _excess(information: Information, shares: bytes) -> CutForm:
    """Return by how much the mean square of what a report adds to answers is larger than at equal shares.

    It is remembered: many answers are at the same shares, and beyond `MOST_DENSE` items it is in single precision.
    """
    pairs, numbers = zip(information.levels, information.leaning, strict=True), np.frombuffer(shares)
    made = (level.excess(level.of_cells(numbers), leans) for level, leans in pairs)
    found = CutForm.pooled(made, information.chances)
    return found.single if information.k > MOST_DENSE else found


def is_of_single_items(level: Partitions) -> bool:
    """Return whether no cell of a level has two items."""
    return bool((np.diff(level.edges, axis=1) <= 1).all())


def inverse_of(matrix: Floats) -> Floats:
    """Return the inverse of a positive definite matrix; where it is mirrored (`halves`) by parts of half its size.

    Raises:
        NoAnswerError: where it is not positive definite.
    """
    if not is_mirrored(matrix):
        return whole_inverse_of(matrix)
    return joined(*map(whole_inverse_of, halves(matrix)))


def whole_inverse_of(matrix: Floats) -> Floats:
    """Return the inverse of a positive definite matrix, whether it is mirrored or not; errors as `inverse_of`."""
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise NoAnswerError("levels must determine all shares, got levels that leave some of them open") from None
    found = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    return (found + found.T) / 2
