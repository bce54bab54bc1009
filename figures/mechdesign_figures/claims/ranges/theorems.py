"""Facts, lemmas and theorems on numbers of nodes and on bounds of variances, measured."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.decomposition import node_counts, parts
from mechdesign_figures.studies.ranges.printed import HAAR, HH2, HH4
from mechdesign_figures.studies.ranges.systems import FLAT, NAMES, THREE, USERS, average, largest, oracle, tree

NODES = ((2, 4), (2, 16), (2, 256), (3, 9), (3, 81), (4, 16), (4, 256), (8, 64), (16, 256))
"""Fan-outs, and numbers of items that are powers of them."""

QUICK_NODES = ((2, 4), (2, 64), (4, 64), (8, 64))


def noise(x: float = 3.0) -> float:
    """Return `V0 = 4 x/(x - 1)^2`, n times the variance of a rare item under OUE; 3 where x = e^epsilon = 3."""
    return 4 * x / (x - 1) ** 2


def _settings(quick: bool) -> tuple[tuple[int, int], ...]:
    return QUICK_NODES if quick else NODES


def _height(k: int, b: int) -> int:
    return next(h for h in itertools.count() if b**h >= k)


def _ceil_log(value: int, b: int) -> int:
    return next(power for power in itertools.count() if b**power >= value)


def _flat_variance(cache: DesignCache, quick: bool) -> Finding:
    """Exactly there is the range's own share beside the noise: (r V0 + R)/n."""

    def case(length: int, share: float) -> Case:
        k = 64
        shares = np.full(k, (1 - share) / (k - length))
        shares[:length] = share / length
        queries = Prefixes(k).queries(length - 1, length)
        found = float(oracle(FLAT, k, THREE).answer_variance(queries, shares, USERS)[0]) * USERS
        more = found - length * noise()
        numbers = f"n times the variance {found:.6g}, r V0 = {length * noise():g}, a difference of {more:.3g}"
        return Case(f"r = {length}, R = {share:g}", abs(more) < 1e-9, numbers, share == 0, Fraction(abs(more)))

    cases = [case(*cell) for cell in itertools.product((1, 8, 32), (0.0, 0.25, 0.9))]
    return judge(cases, "nobody has an item of the range (R = 0; else it is more by R)")


def _flat_average(cache: DesignCache, quick: bool) -> Finding:
    """Exactly: (k + 2)/3 V_F over all k (k + 1)/2 ranges, to within the mean share of a range."""

    def case(k: int) -> Case:
        found = average(FLAT, Ranges(k)) * USERS / noise()
        printed = (k + 1) * (k + 2) / (3 * (k - 1))
        numbers = f"{found:.6g} V_F = {found / k:.4f} k V_F, (k + 2)/3 = {(k + 2) / 3:.6g}, as printed {printed:.6g}"
        return Case(f"k = 2^{k.bit_length() - 1}", found < k, numbers)

    return judge(case(1 << log2) for log2 in (4, 8, 16, 22))


def _node_bound(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for b, k in _settings(quick):
            for length in range(1, k):
                most = int(node_counts(k, b, length).sum(axis=0).max())
                bound = (b - 1) * (2 * _ceil_log(length, b) - 1)
                numbers = f"at most {most} nodes, bound {bound}"
                met = length not in (1, b)
                yield Case(f"B = {b}, k = {k}, r = {length}", most <= bound, numbers, met, Fraction(most - bound))

    return judge(cases(), "r is neither 1 nor B")


def _node_example(cache: DesignCache, quick: bool) -> Finding:
    found = list(parts(2, 22, 2))
    told = [(2, 3), (4, 7), (8, 15), (16, 19), (20, 21), (22, 22)]
    return judge([Case("[2, 22] of 32", found == told, ", ".join(map(str, found)))])


def _node_total(cache: DesignCache, quick: bool) -> Finding:
    def case(b: int, k: int) -> Case:
        most = max(int(node_counts(k, b, length).sum(axis=0).max()) for length in range(1, k))
        bound = 2 * (b - 1) * (_height(k, b) - 1)
        numbers = f"{most} nodes, {most - bound} more than the bound"
        return Case(f"B = {b}, k = {k}", most <= bound, numbers, b == 2, Fraction(most - bound))

    cases = list(itertools.starmap(case, _settings(quick)))
    return conclude(cases, "B = 2")


def _worst_bound(cache: DesignCache, quick: bool) -> Finding:
    """The noise of a range of the raw tree, h times its nodes, in V_F."""

    def cases() -> Iterator[Case]:
        for b, k in _settings(quick):
            h = _height(k, b)
            for length in range(1, k):
                found = h * int(node_counts(k, b, length).sum(axis=0).max())
                bound = 2 * (b - 1) * h * _ceil_log(length, b)
                numbers = f"{found} V_F, bound {bound} V_F"
                yield Case(
                    f"B = {b}, k = {k}, r = {length}", found <= bound, numbers, length > 1, Fraction(found - bound)
                )

    return judge(cases(), "r >= 2 (at r = 1 the bound is 0)")


def _uniform_levels(cache: DesignCache, quick: bool) -> Finding:
    """Exact sums of 1/p for all weights over a denominator of 12."""

    def case(levels: int) -> Case:
        weights = (w for w in itertools.product(range(1, 13), repeat=levels) if sum(w) == 12)
        sums = {w: sum((Fraction(12, part) for part in w), Fraction(0)) for w in weights}
        best = min(sums, key=sums.__getitem__)
        even = levels**2
        numbers = f"least {sums[best]} at weights {'-'.join(map(str, best))}, uniform {even}"
        return Case(f"{levels} levels", sums[best] >= even, numbers, miss=even - sums[best])

    return judge(map(case, (2, 3, 4)))


def _uniform_for_ranges(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int, b: int) -> Case:
        ranges = Ranges(1 << log2)
        even, best = (average(f"{tree(b)}{levels}", ranges) for levels in ("", ":levels=optimal"))
        return Case(
            f"2^{log2} items, B = {b}", best >= 0.99 * even, f"{best / even:.3f} of it", miss=Fraction(1 - best / even)
        )

    sizes = (8,) if quick else (8, 12, 16)
    cases = [case(*cell) for cell in itertools.product(sizes, (2, 4, 16))]
    return conclude(cases)


def _average_bound(cache: DesignCache, quick: bool) -> Finding:
    def case(b: int, k: int) -> Case:
        found, bound = _height(k, b) * mean_nodes(k, b), _average_formula(k, b)
        return Case(
            f"B = {b}, k = {k}", found <= bound, f"{found:.4g} V_F, bound {bound:.4g} V_F", miss=Fraction(found - bound)
        )

    return judge(itertools.starmap(case, _settings(quick)))


def _average_proof(cache: DesignCache, quick: bool) -> Finding:
    """What is subtracted is replaced by something larger, where something smaller would be needed."""

    def case(log2: int) -> Case:
        lengths = range(1, 2**log2 + 1)
        total, squares = sum(lengths), sum(length**2 for length in lengths)
        found = sum(length * math.log2(length) for length in lengths)
        used = total * math.log2(squares / total)
        return Case(
            f"2^{log2} items", used <= found, f"sum {found:.6g}, in its place {used:.6g}", miss=Fraction(used / found)
        )

    return judge(map(case, (2, 4, 8) if quick else (2, 4, 8, 16)))


def mean_nodes(k: int, b: int) -> float:
    """Return the mean number of nodes over all ranges."""
    return sum(float(node_counts(k, b, length).sum()) for length in range(1, k + 1)) / (k * (k + 1) / 2)


def _average_formula(k: int, b: int) -> float:
    return 2 * (b - 1) * _height(k, b) * math.log(3 * k**2 / (1 + 2 * k), b)


def _crossover(cache: DesignCache, quick: bool) -> Finding:
    told = {6: 128, 16: 1024}

    def case(log2: int) -> Case:
        found = 2 * 2 * log2**2
        share = f", {found / 2**log2:.2%} of the items" if found < 2**log2 else ", more than there are"
        return Case(f"B = 2, 2^{log2} items", found == told[log2], f"2 B log^2 k = {found}{share}, told {told[log2]}")

    cases = list(map(case, told))
    return conclude(cases)


def _wavelet_bound(cache: DesignCache, quick: bool) -> Finding:
    """With the noise of HRR, A = V0 + 1, in place of V_F."""

    def case(log2: int) -> Case:
        found = largest(NAMES[HAAR], Ranges(1 << log2))[0] * USERS / (noise() + 1)
        mean = average(NAMES[HAAR], Ranges(1 << log2)) * USERS / (noise() + 1)
        numbers = f"largest {found / log2**2:.4f} h^2 V_F, mean {mean / log2**2:.4f} h^2 V_F"
        return Case(f"2^{log2} items", found <= log2**2 / 2, numbers, miss=Fraction(found - log2**2 / 2))

    return judge(map(case, (4, 6) if quick else (4, 6, 8, 10)))


def _bounds_alike(cache: DesignCache, quick: bool) -> Finding:
    """The bounds (5.2) and (5.3) against exact means over ranges that hold most of the items."""

    def case(log2: int) -> Case:
        ranges = Ranges(1 << log2)
        tree_, wavelet = (average(name, ranges) * USERS for name in (tree(8), NAMES[HAAR]))
        bound = log2**2 / 2
        shares = tree_ / (bound * noise()), wavelet / (bound * (noise() + 1))
        numbers = f"HH8 {shares[0]:.3f} of its bound, HaarHRR {shares[1]:.3f}, HaarHRR / HH8 {wavelet / tree_:.3f}"
        return Case(
            f"2^{log2} items", abs(wavelet / tree_ - 1) <= 0.2, numbers, miss=Fraction(abs(wavelet / tree_ - 1))
        )

    cases = list(map(case, (6, 9, 12, 15) if quick else (6, 9, 12, 15, 18, 21)))
    return conclude(cases)


def _prefix_halves(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int, system: str) -> Case:
        k = 1 << log2
        ratio = average(NAMES[system], Prefixes(k)) / average(NAMES[system], Ranges(k))
        numbers = f"{ratio:.3f} of the variance, {math.sqrt(ratio):.3f} of its root"
        return Case(f"2^{log2} items, {system}", ratio <= 0.6, numbers, miss=Fraction(ratio))

    return conclude([case(*cell) for cell in itertools.product((8, 16, 24), (HH2, HH4, HAAR))])


CLAIMS = (
    range_claim(
        "flat variance", "a range of r items has r V_F under a flat oracle (fact 1; OUE, exact)", _flat_variance
    ),
    range_claim(
        "flat average",
        "the mean over all ranges of a flat oracle's variance is O(k V_F) (lemma 8; read as: at most k V_F)",
        _flat_average,
    ),
    range_claim("decomposition of an example", "[2, 22] of 32 items is made of six dyadic intervals", _node_example),
    range_claim(
        "nodes of a range",
        "a range of r items is made of at most (B - 1)(2 ceil(log_B r) - 1) B-adic intervals (fact 3)",
        _node_bound,
    ),
    range_claim(
        "nodes of any range",
        "any range takes at most 2 (B - 1)(log_B k - 1) nodes of the tree (section 5.4; k >= B^2)",
        _node_total,
    ),
    range_claim(
        "worst-case bound",
        "with uniform levels and no constrained inference a range has at most 2 (B - 1) V_F h ceil(log_B r) (theorem "
        "6 and (5.1); read as: of the noise, which is h V_F times its number of nodes)",
        _worst_bound,
    ),
    range_claim(
        "uniform levels",
        "sum 1/p_l is least for uniform p_l (lemma 9; tried: all weights over a denominator of 12)",
        _uniform_levels,
    ),
    range_claim(
        "uniform levels for ranges",
        "so levels are best drawn uniformly (read as: for the mean over all ranges, after constrained inference, no "
        "other weights have less than 99 % of the variance; e^epsilon = 3)",
        _uniform_for_ranges,
    ),
    range_claim(
        "average bound",
        "the mean over all ranges is at most 2 (B - 1) V_F log_B k log_B(3 k^2 / (1 + 2 k)) (theorem 7; read as: of "
        "the noise, without constrained inference)",
        _average_bound,
    ),
    range_claim(
        "proof of the average bound",
        "the proof of theorem 7 may put P log(Q/P) for the sum of r log r (P the sum of r, Q of r^2; read as: it is "
        "not larger, since the proof subtracts it)",
        _average_proof,
    ),
    range_claim(
        "length from which trees win",
        "trees beat flat oracles from r = 2 B log_B^2 k on: 128 for B = 2 and 64 items, 1024 for 2^16 (1.5 % of them)",
        _crossover,
    ),
    range_claim(
        "bound of the wavelet",
        "no range has more than h^2 V_F / 2 under HaarHRR ((5.3); V_F of HRR, exact, e^epsilon = 3)",
        _wavelet_bound,
    ),
    range_claim(
        "trees and wavelet alike",
        "the bound (5.2) of trees with B = 8 is near the bound (5.3) of HaarHRR for long ranges, so both are "
        "competitive (read as: exact means over all ranges within 20 % of each other, e^epsilon = 3)",
        _bounds_alike,
    ),
    range_claim(
        "prefixes halve the variance",
        "prefixes have almost half of the variance of ranges (section 5.4.4; read as: at most 60 % of its mean; exact)",
        _prefix_halves,
    ),
)
