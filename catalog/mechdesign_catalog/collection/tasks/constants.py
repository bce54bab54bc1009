"""State the exact constants of an oracle: all that a client in another language computes with."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from mechdesign.rational import fraction_text, integer_text
from mechdesign_catalog.collection.tasks.system_constants import SYSTEM_CONSTANTS, Constants
from mechdesign_catalog.multidimensional.fakes import FakedGrr, FakedOue
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
from mechdesign_catalog.oracles.oracle import FrequencyOracle
from mechdesign_catalog.oracles.probabilities import Support, direct, flip


class StatedOracle(Protocol):
    """An oracle whose constants are stated: every one that users report with, of an item, a number or several."""

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""


def constants_of(oracle: StatedOracle) -> Constants:
    """List what a client and a server compute with, so that nobody needs a logarithm or a root.

    `alpha` is the exact alpha of one report.
    """
    kind = type(oracle)
    found = SYSTEM_CONSTANTS[kind](oracle, _nested) if kind in SYSTEM_CONSTANTS else CONSTANTS[kind](oracle)
    return {"alpha": fraction_text(oracle.alpha), **found}


def _nested(oracle: FrequencyOracle) -> Constants:
    """State an oracle that is a part of another: its name, its number of items, and its constants."""
    return {"oracle": oracle.name, "k": oracle.k, **constants_of(oracle)}


def _support(support: Support) -> Constants:
    return {"p": fraction_text(support.p), "q": fraction_text(support.q)}


def _pure(oracle: Grr | Sue | Oue | Rappor) -> Constants:
    return _support(oracle.support)


def _hashed(oracle: HashingOracle) -> Constants:
    family = oracle.hashes
    return {
        "item_bits": family.item_bits,
        "words": family.rows,
        "word_bits": family.word_bits,
        "buckets": family.buckets,
        "kept": fraction_text(direct(family.buckets, oracle.alpha).p),
        **_support(oracle.support),
    }


def _sketched(oracle: Hcms) -> Constants:
    return {
        "hashes": oracle.hashes,
        "width": oracle.width,
        "seed": oracle.seed,
        "item_bits": oracle.family.item_bits,
        "turned": fraction_text(flip(oracle.alpha)),
        **_support(oracle.support),
    }


def _subset(oracle: SubsetSelection) -> Constants:
    return {"size": oracle.selected, **_support(oracle.support)}


def _dbitflip(oracle: DBitFlip) -> Constants:
    return {"d": oracle.drawn, **_support(oracle.support)}


def _designed(oracle: Designed) -> Constants:
    matrix = oracle.mechanism
    weights = [[integer_text(weight) for weight in row] for row in matrix.weights]
    return {"denominator": integer_text(matrix.denominator), "weights": weights}


def _workload_design(oracle: WorkloadOracle) -> Constants:
    made = oracle.mechanism
    return {
        "denominator": integer_text(made.denominator),
        "rows": list(made.rows),
        "weights": [integer_text(weight) for weight in made.weights],
        "prior": [integer_text(part) for part in oracle.used.prior],
    }


def _mean(oracle: OneBitMean) -> Constants:
    return {"steps": oracle.k - 1, "maximum": fraction_text(oracle.maximum), **_support(oracle.support)}


CONSTANTS: Mapping[type, Callable[[Any], Constants]] = {
    Grr: _pure,
    Sue: _pure,
    Oue: _pure,
    FakedGrr: _pure,
    FakedOue: _pure,
    Rappor: _pure,
    Blh: _hashed,
    Olh: _hashed,
    Hrr: _hashed,
    Hcms: _sketched,
    SubsetSelection: _subset,
    DBitFlip: _dbitflip,
    Designed: _designed,
    WorkloadOracle: _workload_design,
    OneBitMean: _mean,
}
