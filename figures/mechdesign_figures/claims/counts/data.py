"""Data of the claims, as groups by true count, and exact expectations on them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from mechdesign.counts.error_law import error_law
from mechdesign.counts.error_metrics import make_metric
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.prior import Prior
from mechdesign.rational import over_common_denominator
from mechdesign_figures.studies.counts.adult_error import RELEASES
from mechdesign_figures.studies.design_cache import DesignCache

(ADULT_ALPHA,) = RELEASES.alphas


def binomial(n: int, chance: Fraction) -> list[int]:
    """Return groups by true count, in the proportions of the binomial distribution itself."""
    return over_common_denominator(Prior.parse(f"binomial:{chance}").weights(n + 1))[0]


def adult(cache: DesignCache, quick: bool) -> Iterator[tuple[str, int, Fraction, Sequence[int]]]:
    """Read target, n, alpha and groups by true count, as in figure 6.9 (two of its sizes in the quick form)."""
    for target in RELEASES.values:
        people = cache.adult(target)
        for n in RELEASES.sizes[1:4:2] if quick else RELEASES.sizes:
            yield target, n, ADULT_ALPHA, people.grouped(n).histogram


def expected(mechanism: Mechanism, histogram: Sequence[int], metric: str) -> Fraction:
    """Compute the exact expectation of a metric (of its square for rmse)."""
    return make_metric(metric, mechanism.n_inputs - 1).before_root(error_law(mechanism, histogram))
