"""Tell how far liars can move an estimate: those who send whatever report serves them best.

Without levels an estimate is the mean over all N reports of a *score* `y_v(r)`, what the report r says of the item v.
An honest user's score has the mean 1 for the own item and 0 for another one. So where a fraction b of the users sends
reports of its choice, the estimate differs from the share f_v of the honest users, in the mean, by

    b (y_v(r) - f_v),   and so by at most   b max(max_r y_v(r), 1 - min_r y_v(r)):

b times the **pull** of the oracle, whatever the shares are and however many users there are. For an oracle with p and q
scores are `(1 - q)/(p - q)` where a report supports the item and `-q/(p - q)` where it does not, so the pull is
`max(1 - q, p)/(p - q)`. Who lies about the value alone, and draws the report as all do, moves a share by b.

Where users share out over attributes, each drawn with the chance c, liars all choose the one that they attack. They are
`b / (b + (1 - b) c)` of its users, more than b, and the attribute is estimated from its own users alone. For systems of
levels and the answers of a workload see `answer_bias`.

The more private, the stronger a liar (Cheu, Smith, Ullman, IEEE S&P 2021; Cao, Jia, Gong, USENIX Security 2021).
"""

import math
from fractions import Fraction
from functools import singledispatch
from typing import Any

from mechdesign.errors import InputError
from mechdesign.rational import Number, as_rational, fraction_text
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl
from mechdesign_catalog.oracles.exchangeable import PureOracle
from mechdesign_catalog.oracles.kinds.dbitflip import DBitFlip
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.kinds.workload_design import WorkloadOracle
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.probabilities import Support


def parse_liars(value: Number) -> Fraction:
    """Parse the fraction of the users who lie.

    Raises:
        InputError: for one that is not in (0, 1).
    """
    liars = as_rational(value, "liars")
    if not 0 < liars < 1:
        raise InputError(f"liars must be in (0, 1), got liars={fraction_text(liars)}")
    return liars


def worst_bias(oracle: LocalOracle | Smp | Spl | RsFd, liars: Fraction) -> Fraction:
    """Compute the largest bias that a fraction of liars can give the estimated share of an item, exactly.

    For a mean: of the estimated mean, in its unit. For several attributes: of an item of any of them. Errors as `pull`.

    >>> from mechdesign.problem.privacy import Privacy
    >>> from mechdesign_catalog.oracles import make_oracle
    >>> worst_bias(make_oracle("grr", 4, Privacy(alpha="1/2")), Fraction(1, 100))
    Fraction(1, 25)
    """
    if isinstance(oracle, Smp):
        chance = Fraction(1, len(oracle.domains))
        return liars / (liars + (1 - liars) * chance) * max(map(pull, oracle.oracles))
    return liars * pull(oracle)


@singledispatch
def pull(oracle: Any) -> Fraction:
    """Compute the largest bias of an item's estimated share for each liar among all users, exactly.

    Raises:
        InputError: for an oracle whose users share out, where liars can choose about what they report.
    """
    raise InputError(f"oracle must not share users out for the bias of each liar, got {oracle.name}")


@pull.register
def _pure(oracle: PureOracle) -> Fraction:
    return _of_bit(oracle.support)


@pull.register
def _mean(oracle: OneBitMean) -> Fraction:
    return oracle.maximum * _of_bit(oracle.support)


@pull.register
def _dbitflip(oracle: DBitFlip) -> Fraction:
    """Return that of a bit that is asked of d/k of the users, and by liars of the item that they choose."""
    draws, bit = Fraction(oracle.k, oracle.drawn), oracle.support
    return max(draws * (1 - bit.q), bit.p - bit.q + draws * bit.q) / (bit.p - bit.q)


@pull.register
def _designed(oracle: Designed) -> Fraction:
    """Return that of the entries of the inverse, which are the scores."""
    return max(max(max(row), 1 - min(row)) for row in oracle.inverse)


@pull.register
def _workload_design(oracle: WorkloadOracle) -> Fraction:
    """Return that of the largest or the least score, which are known as floats: the next one above.

    Raises:
        InputError: where no reports tell the shares of items.
    """
    oracle.require_items()
    scores = oracle.scores.scores
    return Fraction(math.nextafter(max(scores.max(), 1 - scores.min()), math.inf))


@pull.register
def _every_attribute(oracle: Spl) -> Fraction:
    """Return the largest of the attributes', each with its part of the budget."""
    return max(map(pull, oracle.oracles))


@pull.register
def _real_or_fake(oracle: RsFd) -> Fraction:
    """Return the largest of the attributes', by the chances over what is real and what is fake."""
    return max(_of_bit(kind.mixed) for kind in oracle.faked)


def _of_bit(support: Support) -> Fraction:
    return max(1 - support.q, support.p) / (support.p - support.q)
