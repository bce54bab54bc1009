"""Score one report for each item, exactly: the mean of the scores over all reports is the estimate.

The plain specification of a server. A pure oracle scores an item `(1 - q)/(p - q)` where the report supports it, and
`-q/(p - q)` elsewhere.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from mechdesign.counts.estimation.inversion import exact_inverse
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.grr import Grr
from mechdesign_catalog.oracles.kinds.hadamard import Hrr
from mechdesign_catalog.oracles.kinds.local_hashing import Blh, HashingOracle, Olh
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.kinds.sketch import Hcms
from mechdesign_catalog.oracles.kinds.subset import SubsetSelection
from mechdesign_catalog.oracles.kinds.unary import Oue, Rappor, Sue
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.probabilities import Support
from mechdesign_catalog.reference.hashed import bucket_of, combined_word
from mechdesign_catalog.reference.rows import Row, parity, unpacked_bits
from mechdesign_catalog.reference.servers.least_squares import inverse

Scores = list[Fraction]
Scorer = Callable[[Any, Row], Scores]


def exact_shares(oracle: LocalOracle, rows: Sequence[Row]) -> Scores:
    """Estimate each item's share of the users, unbiased, as exact rationals; of 1BitMean the one mean."""
    return mean_scores([FLAT_SCORES[type(oracle)](oracle, row) for row in rows])


def mean_scores(scores: Sequence[Scores]) -> Scores:
    """Average the scores of reports, item by item."""
    return [sum(of_item, Fraction(0)) / len(scores) for of_item in zip(*scores, strict=True)]


def score_supports(supports: Sequence[int], support: Support) -> Scores:
    """Score each item by whether the report supports it (1) or not (0)."""
    return [(supported - support.q) / (support.p - support.q) for supported in supports]


def _score_grr(oracle: Grr, row: Row) -> Scores:
    """The report supports the item that it is."""
    return score_supports([int(item == row["item"]) for item in range(oracle.k)], oracle.support)


def _score_bits(oracle: Sue | Oue | Rappor | SubsetSelection, row: Row) -> Scores:
    """The report supports the items whose bits are 1."""
    return score_supports(unpacked_bits(row["bits"], oracle.k), oracle.support)


def _score_hashed(oracle: HashingOracle, row: Row) -> Scores:
    """The report supports the items that its hash puts into its bucket."""
    own = [bucket_of(oracle, item, row["coefficients"]) for item in range(oracle.k)]
    return score_supports([int(bucket == row["bucket"]) for bucket in own], oracle.support)


def _score_sketched(oracle: Hcms, row: Row) -> Scores:
    """The report supports the items whose bit at its place is its bit."""
    word = combined_word(oracle, row["hash"], row["place"])
    return score_supports([int(parity(word & item) == row["bit"]) for item in range(oracle.k)], oracle.support)


def _score_dbitflip(oracle: DBitFlip, row: Row) -> Scores:
    """A bucket that was drawn scores k/d times `(b - q)/(p - q)`, b its bit; every other one scores 0."""
    buckets = range(oracle.k) if oracle.draws_all else row["buckets"]
    answers = score_supports(unpacked_bits(row["bits"], oracle.drawn), oracle.support)
    scored = dict(zip(buckets, answers, strict=True))
    return [Fraction(oracle.k, oracle.drawn) * scored.get(item, Fraction(0)) for item in range(oracle.k)]


def _score_design(oracle: Designed, row: Row) -> Scores:
    """An item scores its entry of the inverse matrix in the column of the report."""
    inverse = exact_inverse(oracle.mechanism)
    assert inverse is not None  # an oracle of a singular matrix cannot be made
    rows, divisor = inverse
    return [Fraction(entries[row["item"]], divisor) for entries in rows]


def _score_workload_design(oracle: WorkloadOracle, row: Row) -> Scores:
    """An item scores its entry of `A^-1 r / (p'r)`, r the reported row, `A = sum_r theta_r r r' / (p'r)`.

    Raises:
        ZeroDivisionError: where items have shares that no reports tell.
    """
    made, prior = oracle.mechanism, oracle.used.prior
    rows = [[Fraction(1) if bit == "0" else 1 / made.alpha for bit in text] for text in made.rows]
    means = [_product(prior, own) / sum(prior) for own in rows]
    parts = [Fraction(weight, made.denominator) / mean for weight, mean in zip(made.weights, means, strict=True)]
    columns = list(zip(*rows, strict=True))
    weighed = [[part * entry for part, entry in zip(parts, column, strict=True)] for column in columns]
    matrix = [[_product(one, other) for other in columns] for one in weighed]
    return [_product(line, rows[row["row"]]) / means[row["row"]] for line in inverse(matrix)]


def _product(weights: Sequence[int | Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((Fraction(weight) * value for weight, value in zip(weights, values, strict=True)), Fraction(0))


def _score_mean(oracle: OneBitMean, row: Row) -> Scores:
    """The number scores `maximum (b - q)/(p - q)`, b the bit."""
    return [oracle.maximum * score for score in score_supports([row["bit"]], oracle.support)]


FLAT_SCORES: dict[type, Scorer] = {
    Grr: _score_grr,
    Sue: _score_bits,
    Oue: _score_bits,
    Rappor: _score_bits,
    SubsetSelection: _score_bits,
    Blh: _score_hashed,
    Olh: _score_hashed,
    Hrr: _score_hashed,
    Hcms: _score_sketched,
    DBitFlip: _score_dbitflip,
    Designed: _score_design,
    WorkloadOracle: _score_workload_design,
    OneBitMean: _score_mean,
}
