"""Small oracles whose users have one item each, or a number, by a label: their reports can be enumerated."""

from collections.abc import Callable
from fractions import Fraction

from oracle_cases import CASES

from mechdesign import Privacy
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean

SMALL: dict[str, Callable[[], LocalOracle]] = {
    case.label: case.small for case in CASES if not isinstance(case.small(), Mixture)
} | {
    "onebitmean": lambda: OneBitMean(5, Privacy(epsilon=1), Fraction(24)),
    "olh, more parities than even buckets need": lambda: make_oracle("olh", 3, Privacy(alpha="1/3"), hash_bits=3),
    "hcms, one word has all bits": lambda: make_oracle("hcms", 3, Privacy(alpha="1/2"), hashes=2, width=8, seed=5),
}
