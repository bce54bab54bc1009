"""Compute the information of one report: all that the best linear estimates need to know of a mechanism.

With q(r, u) the chance of the report r at the item u, and s the shares of the items, it is the k x k matrix

    A = sum_r q_r q_r' / (s' q_r),   q_r = (q(r, u))_u,   A s = 1.

Of all linear unbiased estimates from full reports weighted least squares has the least variance on average over users.
For the queries of `G = W'W` together and one user it is `tr(G A^+) - sum_u s_u G_uu`, where the rows of W are in the
range of A. (McKenna, Maity, Mazumdar, Miklau, *A workload-adaptive mechanism for linear queries under local
differential privacy*, VLDB 2020.)
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from mechdesign_catalog.information.of_sets import Counts, set_information, set_laws
from mechdesign_catalog.oracles.kernels.walsh import parity
from mechdesign_catalog.oracles.kinds.local_hashing import HashingOracle
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.oracles.oracle import LocalOracle, ReportLaw
from mechdesign_catalog.oracles.probabilities import Floats, direct

MOST_CHANCES = 1 << 25
"""Chances of reports at items that are gone through one by one: a second."""

AT_ONCE = 1 << 20
"""Chances that are written down at once."""


class ItemOracle(LocalOracle, Protocol):
    """An oracle whose inputs are the numbers 0..k-1."""

    @property
    def k(self) -> int:
        """Number of items."""


@dataclass(frozen=True, eq=False)
class Information:
    """Hold the information matrix of a report, k x k, at equally frequent items.

    Attributes:
        matrix: A.
        is_exact: whether it is that of the reports as they are sent; else their hashes are taken to be fully random.
    """

    matrix: Floats
    is_exact: bool


def information(oracle: ItemOracle) -> Information:
    """Compute the information of a report of an oracle on k equally frequent items.

    Reports that are sets of items are summed in closed form, and systems of levels from their levels. Those of hashes
    are gone through one by one where they are few; else `olh` is taken to hash fully at random. Of any other oracle the
    law is listed.

    Raises:
        InputError: where there are too many reports.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.oracles.registry import make_oracle
    >>> information(make_oracle("grr", 3, Privacy(alpha="1/4"))).matrix.round(6).tolist()
    [[1.5, 0.75, 0.75], [0.75, 1.5, 0.75], [0.75, 0.75, 1.5]]
    """
    return Information(matrix_of(oracle, np.ones(oracle.k, dtype=np.int64)), _is_exact(oracle))


def _is_exact(oracle: ItemOracle) -> bool:
    if isinstance(oracle, LevelOracle):
        return all(not _hashes_at_random(of_level) for of_level in oracle.level_oracles)
    return not _hashes_at_random(oracle)


def matrix_of(oracle: ItemOracle, counts: Counts) -> Floats:
    """Compute the information of an oracle on items of shares in proportion to whole numbers, 0 for some of them."""
    if isinstance(oracle, LevelOracle):
        return of_levels(oracle, counts)
    if isinstance(oracle, SignedHrr):
        return of_places(oracle, counts)
    if isinstance(oracle, HashingOracle) and not _hashes_at_random(oracle):
        return of_hashes(oracle, counts)
    if laws := set_laws(oracle):
        return np.asarray(sum(set_information(law, counts) for law in laws))
    return of_law(oracle.report_law(), counts)


def _hashes_at_random(oracle: object) -> bool:
    """Tell whether reports of hashes are too many to go through."""
    return isinstance(oracle, HashingOracle) and _hashed_chances(oracle) > MOST_CHANCES


def _hashed_chances(oracle: HashingOracle) -> int:
    family = oracle.hashes
    return oracle.k * family.buckets << family.rows * family.word_bits


def of_law(law: ReportLaw, counts: Counts) -> Floats:
    """Add up the information of listed reports."""
    return of_rows(np.array([[float(chance) for chance in row] for row in law.values()]), counts)


def of_rows(rows: Floats, counts: Counts) -> Floats:
    """Add up the information of reports with these chances at each item, shape (reports, k)."""
    totals = rows @ (counts / counts.sum())
    there = rows[totals > 0]
    found: Floats = there.T @ (there / totals[totals > 0][:, None])
    return found


def of_levels(oracle: LevelOracle, counts: Counts) -> Floats:
    """Add up the information of the levels, each weighed by its chance: an item tells what its node tells."""
    items, found = np.arange(oracle.k, dtype=np.int64), np.zeros((oracle.k, oracle.k))
    for level, of_level in enumerate(oracle.level_oracles):
        found += float(oracle.level_chances[level]) * of_nodes(of_level, oracle.encode(level, items), counts)
    return found


def of_nodes(oracle: ItemOracle, nodes: Counts, counts: Counts) -> Floats:
    """Compute the information about items, where an oracle reports about the node of each, shape (k,)."""
    in_nodes = np.bincount(nodes, weights=counts, minlength=oracle.k).astype(np.int64)
    return matrix_of(oracle, in_nodes)[np.ix_(nodes, nodes)]


def of_hashes(oracle: HashingOracle, counts: Counts) -> Floats:
    """Go through all hashes and buckets."""
    family, chance = oracle.hashes, direct(oracle.hashes.buckets, oracle.alpha)
    hashes = 1 << family.rows * family.word_bits
    step = max(1, AT_ONCE // oracle.k)
    found = np.zeros((oracle.k, oracle.k))
    for start in range(0, hashes, step):
        numbers = np.arange(start, min(start + step, hashes))
        words = [numbers >> row * family.word_bits & (1 << family.word_bits) - 1 for row in range(family.rows)]
        drawn = np.stack(words, axis=1).astype(family.kind)
        own = np.stack([family.bucket(drawn, np.full(len(drawn), v)) for v in range(oracle.k)], axis=1)
        for bucket in range(family.buckets):
            found += of_rows(np.where(own == bucket, float(chance.p), float(chance.q)), counts) / hashes
    return found


def of_places(oracle: SignedHrr, counts: Counts) -> Floats:
    """Go through the words of signed Hadamard response: each is a coefficient with values 1 and -1."""
    items = np.arange(oracle.k)
    words = np.arange(oracle.places)[:, None]
    negative = parity(words & items >> 1) ^ (items & 1).astype(np.uint8)
    return of_coefficients(
        1.0 - 2.0 * negative.astype(np.float64), np.full(oracle.places, 1 / oracle.places), oracle.alpha, counts
    )


def of_coefficients(values: Floats, chances: Floats, alpha: Fraction, counts: Counts) -> Floats:
    """Add up the information of coefficients in [-1, 1] that are drawn with chances, and told as a sign.

    The sign is that of a coin with the mean of the coefficient's value, through randomised response.

    Args:
        values: the value of each coefficient at each item, shape (coefficients, k).
        chances: those of the coefficients.
        alpha: that of the sign.
        counts: in proportion to the shares of the items.
    """
    kept = float((1 - alpha) / (1 + alpha))
    rows = np.concatenate([1 + kept * values, 1 - kept * values]) * np.tile(chances / 2, 2)[:, None]
    return of_rows(rows, counts)
