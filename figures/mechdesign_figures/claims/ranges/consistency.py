"""Claims on constrained inference: its closed form, its two steps, and its gain."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign.workloads.ordered import Ranges
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.systems import FLAT, USERS, average, oracle, tree

EXACT = 1e-9
SEED = 5_400

EVEN, ONE_ITEM = "all items alike", "all users on one item"
FEW_ITEMS = 16
EPSILONS = tuple(map(Fraction, ("0.5", "1", "1.4", "2", "3", "5")))
UP_TO = Fraction(2)
"""Beyond it the inference can lose, at the data that are the worst for it."""


def _children(b: int) -> Floats:
    """The tree of one node and its b leaves, a row for each."""
    return np.vstack([np.ones(b), np.eye(b)])


def _one_node(cache: DesignCache, quick: bool) -> Finding:
    """Least squares of a node and its children, all with the variance V_F."""

    def case(b: int) -> Case:
        covariance = np.linalg.inv(_children(b).T @ _children(b))
        lengths = np.arange(1, b + 1)
        found = np.array([covariance[:r, :r].sum() for r in lengths])
        told = lengths * (b + 1 - lengths) / (b + 1)
        numbers = (
            f"one child {found[0]:.6g}, all {found[-1]:.6g}, largest {found.max():.6g}, (B + 1)/4 = {(b + 1) / 4:g}"
        )
        true = np.allclose(found, told, rtol=EXACT) and found.max() <= (b + 1) / 4 + EXACT
        return Case(f"B = {b}", bool(true), f"{numbers} V_F")

    return judge(map(case, (2, 3, 4, 8, 16)))


def side_of(k: int, b: int) -> Side:
    """Return the tree of fan-out b over k leaves, a power of b."""
    sizes = [1]
    while sizes[-1] < k:
        sizes.append(sizes[-1] * b)
    return Side(k, tuple(sizes))


def nodes_of(k: int, b: int) -> Floats:
    """Write down which leaves each node has, a row for each: leaves first, the root left out."""
    return np.vstack([np.kron(np.eye(k // size), np.ones(size)) for size in side_of(k, b).sizes[:-1]])


def _closed_form(cache: DesignCache, quick: bool) -> Finding:
    """Sums over heights of squared contrasts, against the inverse of H'H with the root known."""

    def case(k: int, b: int) -> Case:
        design = nodes_of(k, b)
        system = np.block([[design.T @ design, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        covariance = np.linalg.inv(system)[:k, :k]
        ranges = Ranges(k).queries()
        dense = np.einsum("qi,ij,qj->q", ranges.weights(), covariance, ranges.weights())
        side = side_of(k, b)
        eigenvalues = np.cumsum(side.widths[:-1])
        closed = (side.energies_of(ranges)[:-1] / eigenvalues[:, None]).sum(axis=0)
        off = float(np.abs(closed - dense).max())
        return Case(
            f"B = {b}, k = {k}",
            off > 1e-10,
            f"largest difference {off:.1e} over {len(ranges)} ranges",
            miss=Fraction(1),
        )

    return judge(itertools.starmap(case, ((16, 2), (16, 4), (27, 3), (64, 2), (64, 8))))


def two_steps(noisy: Sequence[Floats], b: int, parents_final: bool) -> list[Floats]:
    """Run both steps of the inference as they are printed, from the leaves to the root; the root is the known 1.

    `parents_final` takes for a parent in the second step its final value, in place of its average of the first step.
    """
    averages = [np.asarray(noisy[0])]
    for height, own in enumerate(noisy[1:], start=2):
        share = (b**height - b ** (height - 1)) / (b**height - 1)
        below = averages[-1].reshape(-1, b).sum(axis=1)
        averages.append(share * own + (1 - share) * below)
    above = [*averages[1:], np.ones(1)]
    final: list[Floats] = []
    parents = above[-1]
    for level in range(len(averages) - 1, -1, -1):
        used = parents if parents_final else above[level]
        missing = used - averages[level].reshape(-1, b).sum(axis=1)
        parents = averages[level] + np.repeat(missing, b) / b
        final.append(parents)
    return final[::-1]


def _second_step(parents_final: bool) -> Callable[[DesignCache, bool], Finding]:
    def measure(cache: DesignCache, quick: bool) -> Finding:
        generator = np.random.default_rng(SEED)

        def case(k: int, b: int) -> Case:
            sizes = side_of(k, b).sizes[:-1]
            noisy = [generator.normal(size / k, 0.5, k // size) for size in sizes]
            design, y = nodes_of(k, b), np.concatenate(noisy)
            system = np.block([[design.T @ design, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
            best = np.linalg.solve(system, np.append(design.T @ y, 1.0))[:k]
            found = two_steps(noisy, b, parents_final)
            off = float(np.abs(found[0] - best).max())
            apart = max(
                float(np.abs(low.reshape(-1, b).sum(axis=1) - high).max())
                for low, high in itertools.pairwise([*found, np.ones(1)])
            )
            numbers = f"{off:.2g} from least squares, children off their parent by {apart:.2g}"
            return Case(f"B = {b}, k = {k}", off < EXACT, numbers, miss=Fraction(off))

        return judge(itertools.starmap(case, ((16, 2), (64, 2), (64, 4), (81, 3))))

    return measure


def _equal_variances(cache: DesignCache, quick: bool) -> Finding:
    """A node that all users have, against one that nobody has."""

    def case(name: str, epsilon: str) -> Case:
        shares = np.array([1.0, 0.0, 0.0, 0.0])
        found = oracle(name, 4, Privacy(epsilon=Fraction(epsilon))).variance(shares, 1)
        ratio = float(found[0] / found[1])
        where, off = f"{name}, epsilon = {epsilon}", abs(ratio - 1)
        return Case(where, off <= 0.05, f"{ratio:.4g} times", epsilon == "0.2", Fraction(off))

    cases = [case(*cell) for cell in itertools.product((FLAT, "hrr"), ("0.2", "1.1", "1.4"))]
    return conclude(cases, "epsilon is 0.2")


@lru_cache(maxsize=16)
def _shares(kind: str) -> Floats:
    shares = np.full(FEW_ITEMS, 1 / FEW_ITEMS)
    if kind == ONE_ITEM:
        shares = np.zeros(FEW_ITEMS)
        shares[FEW_ITEMS // 3] = 1.0
    return shares


def _never_worse(cache: DesignCache, quick: bool) -> Finding:
    """Exact variances of all ranges of 16 items, with OUE's own part that depends on the shares."""

    def case(kind: str, b: int, epsilon: Fraction) -> Case:
        everything = Ranges(FEW_ITEMS)
        ranges = everything.at(np.flatnonzero(everything.queries().sums < FEW_ITEMS))
        consistent, raw = (
            oracle(tree(b, consistent=way), FEW_ITEMS, Privacy(epsilon=epsilon)).answer_variance(
                ranges, _shares(kind), USERS
            )
            for way in (True, False)
        )
        worst = float((consistent / raw).max())
        met = kind == EVEN or epsilon <= UP_TO
        where = f"{kind}, B = {b}, epsilon = {float(epsilon):g}"
        return Case(where, worst <= 1 + EXACT, f"largest ratio of variances {worst:.4g}", met, Fraction(worst))

    cases = [case(*cell) for cell in itertools.product((EVEN, ONE_ITEM), (2, 4), EPSILONS)]
    told = ", ".join(
        f"{c.numbers.split()[-1]} at {c.where.split()[-1]}" for c in cases if c.where.startswith(f"{ONE_ITEM}, B = 2")
    )
    return judge(cases, f"items are alike or epsilon is at most {UP_TO}", f"{ONE_ITEM}, B = 2, by epsilon: {told}")


def _gain(b: int, primitive: str, workload: Workload) -> float:
    """How many times the mean variance without inference is that with it."""
    return average(tree(b, primitive, consistent=False), workload) / average(tree(b, primitive), workload)


def _gain_by_fanout(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int, primitive: str) -> Case:
        gains = {b: _gain(b, primitive, Ranges(1 << log2)) for b in (2, 4, 16)}
        true = all(less < more for less, more in itertools.pairwise(gains.values()))
        numbers = ", ".join(f"{gain:.2f} times (B = {b})" for b, gain in gains.items())
        return Case(f"2^{log2} items, {primitive}", true, numbers)

    sizes = (8,) if quick else (8, 16, 20)
    return conclude([case(*cell) for cell in itertools.product(sizes, ("oue", "hrr"))])


def _gain_by_length(cache: DesignCache, quick: bool) -> Finding:
    def case(log2: int, b: int) -> Case:
        k = 1 << log2
        lengths = [max(1, k >> shift) for shift in (log2, 6, 4, 2, 1)]
        gains = [_gain(b, "oue", FixedRanges(k, length)) for length in lengths]
        true = all(less < more for less, more in itertools.pairwise(gains))
        numbers = ", ".join(f"{gain:.2f} (r = {length})" for length, gain in zip(lengths, gains, strict=True))
        return Case(f"2^{log2} items, B = {b}", true, f"times {numbers}")

    sizes = (8,) if quick else (8, 16)
    return conclude([case(*cell) for cell in itertools.product(sizes, (2, 4, 16))])


def _two_to_four(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        sizes, primitives = ((8, 16), ("oue",)) if quick else ((8, 16, 22), ("oue", "hrr"))
        for log2, b, primitive in itertools.product(sizes, (2, 4, 16), primitives):
            gain = _gain(b, primitive, Ranges(1 << log2))
            yield Case(
                f"2^{log2} items, B = {b}, {primitive}",
                2 <= gain <= 4,
                f"{gain:.2f} times",
                miss=Fraction(abs(gain - 3)),
            )

    return conclude(list(cases()))


CLAIMS = (
    range_claim(
        "least squares of a node",
        "least squares of a node and its B children leave B/(B + 1) V_F of each, r (B + 1 - r)/(B + 1) V_F of r "
        "children, and at most (B + 1)/4 V_F (lemma 10)",
        _one_node,
    ),
    range_claim(
        "no closed form",
        "for more levels the variance has no simple closed form (section 5.4.2; read as: sum_i c_i / lambda_i, "
        "with c_i the squared norm of the range's contrasts at height i and lambda_i = (B^i - 1)/(B - 1), "
        "is not r'(H'H)^(-1) r with the root known)",
        _closed_form,
    ),
    range_claim(
        "second step as worded",
        "the two steps give least squares (section 5.4.2; as worded: the second step takes the parent's average of "
        "the first)",
        _second_step(parents_final=False),
    ),
    range_claim(
        "second step with final parents",
        "the two steps give least squares (as printed in the formula: the second step takes the parent's final value)",
        _second_step(parents_final=True),
    ),
    range_claim(
        "equal variances of nodes",
        "all estimates have equal variances, as Gauss and Markov need (read as: within 5 %, a node that everybody "
        "has against one that nobody has)",
        _equal_variances,
    ),
    range_claim(
        "inference never hurts",
        "constrained inference never increases the error (exact, all ranges of 16 items but the whole, uniform levels)",
        _never_worse,
    ),
    range_claim(
        "gain against the fan-out",
        "constrained inference gains more for larger B (read as: variance without it divided by variance with it, "
        "means over all ranges, B = 2, 4, 16, e^epsilon = 3)",
        _gain_by_fanout,
    ),
    range_claim(
        "gain against the length",
        "constrained inference gains more for longer ranges (read as: r = 1, k/64, k/16, k/4, k/2; as above)",
        _gain_by_length,
    ),
    range_claim(
        "two to four times",
        "TreeOUECI and TreeHRRCI are two to four times as accurate as without inference (read as: variance, as above)",
        _two_to_four,
    ),
)
