"""Claims of figure 5.3: flat oracles, trees and HaarHRR by the length of the range."""

import bisect
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Ranges
from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.printed import HAAR
from mechdesign_figures.studies.ranges.systems import FLAT, NAMES, THREE, USERS, average, tree

DOMAINS, QUICK_DOMAINS = (8, 16, 22), (8, 16)
FANOUTS = (2, 4, 8, 16)
FEW_TENS = 50
NEARLY = 1.05
"""Up to such a factor a variance is called equal to the best."""

LENGTHS = (4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
SMALLEST_SHARE, LARGEST_SHARE = 0.001, 0.1
WAVELET = NAMES[HAAR]


def _of_length(log2: int, length: int, name: str, privacy: Privacy = THREE) -> float:
    """n times the mean variance over all ranges of a length."""
    return USERS * average(name, FixedRanges(1 << log2, length), privacy)


def _domains(quick: bool) -> tuple[int, ...]:
    return QUICK_DOMAINS if quick else DOMAINS


def _points(cache: DesignCache, quick: bool) -> Finding:
    """Single items: the fewer levels, the better."""

    def case(log2: int) -> Case:
        names = [FLAT, *(tree(b) for b in reversed(FANOUTS))]
        found = [_of_length(log2, 1, name) for name in names]
        true = all(less < more for less, more in itertools.pairwise(found))
        words = ", ".join(f"{value:.4g}" for value in found)
        haar = _of_length(log2, 1, WAVELET)
        return Case(f"2^{log2} items", true, f"n times the variance {words}; HaarHRR {haar:.4g}")

    return judge(map(case, _domains(quick)))


def crossing(log2: int) -> int:
    """Return the smallest length at which some tree with constrained inference has less variance than flat OUE."""
    lengths = (length for length in itertools.count(1) if _best_tree(log2, length) < _of_length(log2, length, FLAT))
    return next(lengths)


def _best_tree(log2: int, length: int) -> float:
    return min(_of_length(log2, length, tree(b)) for b in FANOUTS)


def _flat_loses(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int) -> Case:
        found = crossing(log2)
        numbers = f"a tree is better from r = {found} on, {found / 2**log2:.2g} of the items"
        return Case(f"2^{log2} items", found <= FEW_TENS, numbers, log2 < DOMAINS[-1], Fraction(found))

    cases = list(map(case, _domains(quick)))
    return conclude(cases)


def _flat_far_behind(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for log2, share in itertools.product(_domains(quick)[1:], (0.25, 0.5, 0.75)):
            length = math.floor(share * 2**log2)
            ratio = _of_length(log2, length, FLAT) / _best_tree(log2, length)
            yield Case(f"2^{log2} items, r = {length}", ratio >= 16, f"{ratio:.4g} times", miss=Fraction(1 / ratio))

    return judge(cases())


def _hashing(cache: DesignCache, quick: bool) -> Finding:
    """The number of hashes is e^epsilon + 1, rounded; at e^epsilon = 3 the variance is exactly that of OUE."""

    def case(b: int, epsilon: str | None) -> Case:
        privacy = THREE if epsilon is None else Privacy(epsilon=Fraction(epsilon))
        found = average(tree(b, "olh"), Ranges(256), privacy) / average(tree(b), Ranges(256), privacy)
        where = f"B = {b}, {'e^epsilon = 3' if epsilon is None else f'epsilon = {epsilon}'}"
        return Case(where, found >= 1 - 1e-9, f"{found:.6f} of the variance", epsilon != "2", Fraction(1 - found))

    cases = list(itertools.starmap(case, itertools.product((2, 4, 16), (None, "0.5", "2"))))
    return judge(cases, "e^epsilon is at most 3")


def _lengths(log2: int) -> list[int]:
    return [length for length in LENGTHS if length < 2**log2]


def _wavelet_case(log2: int, length: int, privacy: Privacy = THREE, where: str = "") -> Case:
    wavelet = _of_length(log2, length, WAVELET, privacy)
    trees = {b: _of_length(log2, length, tree(b), privacy) for b in FANOUTS}
    best = min(trees, key=trees.__getitem__)
    ratio = wavelet / trees[best]
    numbers = f"{ratio:.3f} of the variance of the best tree (B = {best})"
    return Case(f"2^{log2} items, r = {length}{where}", ratio <= NEARLY, numbers, miss=Fraction(ratio))


def _wavelet_everywhere(cache: DesignCache, quick: bool) -> Finding:
    cases = [_wavelet_case(log2, length) for log2 in _domains(quick) for length in _lengths(log2)[1:]]
    return judge(cases)


def _wavelet_preferred(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for log2 in _domains(quick):
            for length in _lengths(log2):
                if SMALLEST_SHARE <= length / 2**log2 <= LARGEST_SHARE:
                    found = _wavelet_case(log2, length)
                    yield Case(found.where, found.miss < 1, found.numbers, miss=found.miss)

    return judge(cases())


def _over_trees(log2: int, epsilon: Fraction) -> float:
    """The mean variance of all ranges by HaarHRR over that by the best tree."""
    ranges, privacy = Ranges(1 << log2), Privacy(epsilon=epsilon)
    return average(WAVELET, ranges, privacy) / min(average(tree(b), ranges, privacy) for b in FANOUTS)


def last_epsilon(log2: int) -> float:
    """Return the largest hundredth of epsilon at which HaarHRR has less variance over all ranges than every tree."""
    hundredths = range(1, 200)
    found = bisect.bisect_left(hundredths, True, key=lambda place: _over_trees(log2, Fraction(place, 100)) >= 1)
    return found / 100


def _wavelet_at_small_epsilon(cache: DesignCache, quick: bool) -> Finding:
    """Over all ranges: the noise of HaarHRR is V0 + 1 where that of OUE is V0, so there is one crossing."""

    def case(log2: int, epsilon: Fraction) -> Case:
        ratio = _over_trees(log2, epsilon)
        numbers = f"{ratio:.3f} of the variance of the best tree"
        where = f"2^{log2} items, epsilon = {float(epsilon):g}"
        return Case(where, ratio < 1, numbers, epsilon <= Fraction(1, 2), Fraction(ratio))

    epsilons = map(Fraction, ("0.1", "0.2", "0.4", "0.5", "1", "1.4", "2", "3"))
    cases = list(itertools.starmap(case, itertools.product(_domains(quick), epsilons)))
    last = ", ".join(f"{last_epsilon(log2):g} at 2^{log2} items" for log2 in _domains(quick))
    return judge(cases, "epsilon is at most 0.5", f"up to epsilon = {last}")


EXACT = (
    "exact means over all ranges of a length, e^epsilon = 3, trees with constrained inference and OUE, B = 2, 4, 8, 16"
)

CLAIMS = (
    range_claim(
        "single items",
        f"for single items flat OUE is the best, and trees are the better the larger B is (figure 5.3; {EXACT}, "
        "written from flat and B = 16 down to 2)",
        _points,
    ),
    range_claim(
        "beyond a few tens",
        f"for ranges beyond a few tens of items trees beat flat OUE (read as: from r = {FEW_TENS} at the latest; as "
        "above)",
        _flat_loses,
    ),
    range_claim(
        "long ranges",
        "for long ranges and many items flat OUE has at least 16 times the variance of the best tree (read as: a "
        "quarter to three quarters of 2^16 items or more)",
        _flat_far_behind,
    ),
    range_claim(
        "local hashing in the tree",
        "trees of OLH are equalled or beaten by trees of OUE (read as: over all ranges of 2^8 items; time is left out)",
        _hashing,
    ),
    range_claim(
        "wavelet for all but the shortest",
        "for all but the shortest ranges HaarHRR is the best or equal to it (figure 5.3; read as: r >= 16, at most "
        f"{NEARLY:g} times the variance of the best tree)",
        _wavelet_everywhere,
    ),
    range_claim(
        "wavelet for medium ranges",
        "HaarHRR is preferred for ranges of 0.1 % to 10 % of the items (figure 5.3; read as: less variance than "
        "every tree)",
        _wavelet_preferred,
    ),
    range_claim(
        "wavelet over all ranges",
        "HaarHRR has less variance than every tree (read as: the mean over all ranges, B = 2, 4, 8, 16, epsilon from "
        "0.1 to 3)",
        _wavelet_at_small_epsilon,
    ),
)
