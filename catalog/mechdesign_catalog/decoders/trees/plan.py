"""Plans of users over the levels of a tree: equal, weighted, or for a workload.

With `p_l` the share of level l, `a_l` the variance of a contrast of its nodes for one user, `m_l` the items of a full
node and `W_l` the workload's energy in the contrasts between its nodes (`contrast_energies`), the noise of consistent
estimates of a full tree, added up over all queries, is

    sum_l W_l / lambda_l,    lambda_l = sum_(j >= l) m_j p_j / a_j,

which is convex in p. The weights of levels are public whole numbers; data have no part in them.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError, shorten
from mechdesign.workloads.queries import Intervals
from mechdesign.workloads.registry import WORDS, parse_named_workload
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.decoders.best_shares import best_shares
from mechdesign_catalog.decoders.trees.level_sums import LevelSums, noise
from mechdesign_catalog.decoders.trees.node_weights import decomposed_weights
from mechdesign_catalog.decoders.trees.tree import Tree
from mechdesign_catalog.decoders.trees.walks import decomposed_sums, running_sums
from mechdesign_catalog.randomizers.facts.moments import Moments
from mechdesign_catalog.randomizers.reports.probabilities import Floats

UNIFORM, OPTIMAL = "uniform", "optimal"
DENOMINATOR = 10_000
"""What optimal weights are rounded to parts of."""

LEAST_PART = 16
"""No level gets less than this part of its equal share, so that none goes without users soon."""

PLANNED_WITH = 1 << 14
"""Queries of a large workload that a plan without inference looks at."""

SLACK = 1e-9
"""No other shares take more than this part off the noise, so that rounded weights are the best ones, rounded."""

QUERIES_AT_ONCE = 1 << 10


def parse_levels(
    text: str | Workload, k: int, height: int, best_chances: Callable[[Workload], Floats]
) -> tuple[int, ...]:
    """Return the weights of the levels, whole numbers without a common factor.

    Args:
        text: `uniform`; whole numbers such as `3-2-1`, one for each level; `optimal`, which is for all ranges; or a
            workload or its name.
        k: number of items.
        height: number of levels.
        best_chances: computes the best chances of the levels for a workload.

    Raises:
        InputError: for any other text, another number of weights than levels, or a workload that does not fit k items.
    """
    if not isinstance(text, Workload):
        word = str(text).strip().lower()  # the weight of a single level is a whole number by itself
        if word == UNIFORM:
            return (1,) * height
        if word[:1].isdecimal():
            return parse_weights(word, height)
        try:
            workload = parse_named_workload("ranges" if word == OPTIMAL else word, k)
        except InputError:
            if word in (OPTIMAL, *WORDS):
                raise
            raise refused_levels(word, height) from None
    else:
        workload = text
    if workload.k != k:
        raise InputError(f"levels must be for a workload on {k} items, got {workload.name} on {workload.k}")
    return whole_weights(best_chances(workload))


def parse_weights(text: str, height: int) -> tuple[int, ...]:
    """Parse weights such as `3-2-1`."""
    words = text.split("-")
    if len(words) != height or not all(word.isdecimal() and len(word) < 10 and int(word) > 0 for word in words):
        raise refused_levels(text, height)
    return reduced([int(word) for word in words])


def refused_levels(text: str, height: int) -> InputError:
    """Make the error for a text that is no weights of so many levels."""
    return InputError(
        f"levels must be uniform, optimal, a workload or {height} whole numbers above 0, below 10^9, such as "
        f"{'-'.join(['1'] * height)}, got levels={shorten(text)}"
    )


def reduced(weights: Sequence[int]) -> tuple[int, ...]:
    """Divide weights by their greatest common divisor."""
    common = math.gcd(*weights)
    return tuple(weight // common for weight in weights)


def whole_weights(chances: Floats) -> tuple[int, ...]:
    """Round shares to whole parts of `DENOMINATOR`, each at least 1."""
    return reduced([max(1, round(DENOMINATOR * float(chance))) for chance in chances])


def contrast_energies(tree: Tree, workload: Workload) -> list[Fraction]:
    """Compute the energy of a workload in the contrasts between nodes with one parent, for levels 1 to h.

    That is the sum over queries and nodes of `|w|^2`, where w is the mean weight of the node's items less that of its
    parent's items, at each item; items beyond k-1 that would fill the tree have the weight 0.
    """
    sizes = [tree.nodes[0] * tree.sizes[0], *tree.sizes]
    means = [Fraction(workload.block_energy(size)) / size for size in sizes]
    return [below - above for above, below in itertools.pairwise(means)]


def optimal_chances(squares_at: Callable[[Floats], Floats], variances: Sequence[float]) -> Floats:
    """Find the shares of levels 1 to h with the least noise of consistent estimates over a workload.

    No level gets less than `1/LEAST_PART` of its equal share. The weights of consistent estimates are those with the
    least noise, so that the noise changes with p as if they stayed as they are.

    Args:
        squares_at: computes `sum u^2` of levels 1 to h over all queries from the variances of their nodes.
        variances: `a_l`, those of one user.
    """
    height, plain = len(variances), np.array(variances)

    def summed(chances: Floats) -> tuple[float, Floats]:
        of_levels = squares_at(plain / chances) * plain / chances
        return float(of_levels.sum()), of_levels / chances

    least = 1 / (LEAST_PART * height)
    return best_shares(summed, np.ones(height), least, lambda at: at.variance <= (1 + SLACK) * at.bound).shares


def decomposed_chances(tree: Tree, workload: Workload, moments: Sequence[Moments]) -> Floats:
    """Find the shares of levels for estimates that are used as they are: `p_l` in proportion to `sqrt(N_l)`.

    Here `N_l` is the variance of `sum_v u_v y_v` for one user, y the scores of a report, where nodes are rare: its mean
    over the queries, or over `PLANNED_WITH` of these, always the same. It has the covariances of scores in it.
    """
    few = workload.count <= PLANNED_WITH
    queries = workload.queries() if few else workload.sample(PLANNED_WITH, np.random.default_rng(0))
    noises = np.zeros(tree.height)
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        part = queries[start : start + QUERIES_AT_ONCE]
        if isinstance(part, Intervals):
            of_levels = decomposed_sums(tree, running_sums(tree, np.zeros(tree.k)), part)
        else:
            weights = decomposed_weights(tree, part.weights())[1]
            of_levels = (LevelSums.of(of_level, np.zeros(of_level.shape[1])) for of_level in weights)
        noises += [float(noise(*both).sum()) for both in zip(moments, of_levels, strict=True)]
    parts = np.sqrt(np.maximum(noises, 0.0))
    parts = np.maximum(parts / parts.sum(), 1 / (LEAST_PART * tree.height))
    found: Floats = parts / parts.sum()
    return found
