"""Claims on ranges: verdicts in their quick form, and that other numbers turn them."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from dense_ranges import tree_levels
from findings import finding

from mechdesign.workloads.fixed_ranges import FixedRanges
from mechdesign_figures.claims.claim import RANGES
from mechdesign_figures.claims.ledger import CLAIMS
from mechdesign_figures.claims.ranges import consistency, fanouts, lengths, printed_numbers, tables, theorems
from mechdesign_figures.claims.verdict import Verdict
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.decomposition import parts
from mechdesign_figures.studies.ranges.printed import EPSILONS, TABLE_5_2, TABLE_5_3
from mechdesign_figures.studies.ranges.systems import average, tree

HOLDS, CONDITIONAL, FAILS = Verdict.HOLDS, Verdict.CONDITIONAL, Verdict.FAILS
BY_KEY = {claim.key: claim for claim in CLAIMS if claim.source == RANGES}

VERDICTS = {
    "flat variance": CONDITIONAL,
    "flat average": HOLDS,
    "decomposition of an example": HOLDS,
    "nodes of a range": CONDITIONAL,
    "nodes of any range": CONDITIONAL,
    "worst-case bound": CONDITIONAL,
    "uniform levels": HOLDS,
    "uniform levels for ranges": FAILS,
    "average bound": HOLDS,
    "proof of the average bound": FAILS,
    "length from which trees win": FAILS,
    "bound of the wavelet": HOLDS,
    "trees and wavelet alike": HOLDS,
    "prefixes halve the variance": FAILS,
    "least squares of a node": HOLDS,
    "no closed form": FAILS,
    "second step as worded": FAILS,
    "second step with final parents": HOLDS,
    "equal variances of nodes": CONDITIONAL,
    "inference never hurts": CONDITIONAL,
    "gain against the fan-out": FAILS,
    "gain against the length": FAILS,
    "two to four times": FAILS,
    "bound without inference": HOLDS,
    "bound with inference": HOLDS,
    "best fan-out in the mean": FAILS,
    "best fan-out in the worst case": FAILS,
    "four, then two, in the mean": HOLDS,
    "four, then two, in the worst case": HOLDS,
    "four or two at every epsilon": CONDITIONAL,
    "eight against four": HOLDS,
    "shape against the fan-out": CONDITIONAL,
    "four, eight or sixteen": FAILS,
    "no fan-out is penalised": FAILS,
    "single items": HOLDS,
    "beyond a few tens": HOLDS,
    "long ranges": HOLDS,
    "local hashing in the tree": CONDITIONAL,
    "wavelet for all but the shortest": FAILS,
    "wavelet for medium ranges": FAILS,
    "wavelet over all ranges": CONDITIONAL,
    "captions of the range tables": FAILS,
    "captions of the prefix tables": FAILS,
    "range tables as roots": FAILS,
    "prefix tables as roots": FAILS,
    "evenly spaced beginnings": CONDITIONAL,
    "numbers of ranges": FAILS,
    "wavelet at small epsilon": FAILS,
    "margin of the wavelet": FAILS,
    "margin of the trees": FAILS,
    "fan-out 4 in the table": FAILS,
    "fan-out 2 at 2^22 items": FAILS,
    "numbers quoted from the table": FAILS,
    "wavelet never worst": FAILS,
    "prefixes against ranges": FAILS,
    "best systems for prefixes": FAILS,
    "variances with a trusted server": HOLDS,
    "binary trees with a trusted server": HOLDS,
    "wavelet with a trusted server": HOLDS,
    "heavy ranges": HOLDS,
    "heavy ranges of flat oracles": FAILS,  # of 2^10 items; of 2^18 it holds
    "heavy ranges of movielens": FAILS,
    "value errors of deciles": HOLDS,
    "quantile errors of the median": FAILS,
    "axis of the value errors": FAILS,
    "distribution of the users": HOLDS,
    "fewest bits": FAILS,
    "bits of the wavelet": HOLDS,
    "slots of the series": FAILS,
    "labels of figure 5.4": FAILS,
}


def exact_part(part, square=False):
    """A table with exact numbers in place of the printed ones."""
    found = printed_numbers.mean_square if square else None
    rows = [
        tuple(
            1000 * found(system, printed_numbers.published_queries(part), epsilon)
            if found
            else printed_numbers.error(system, printed_numbers.published_queries(part), epsilon)
            for system in part.systems
        )
        for epsilon in EPSILONS
    ]
    return replace(part, rows=tuple(rows))


def test_every_claim_is_expected():
    assert VERDICTS.keys() == BY_KEY.keys()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "verdict"), VERDICTS.items())
def test_verdicts(key, verdict):
    assert finding(key).verdict is verdict


@pytest.mark.slow
def test_tables_of_exact_numbers_turn_the_verdicts():
    tables_ = [exact_part(part) for part in TABLE_5_2]
    assert printed_numbers.roots(tables_)(DesignCache(), True).verdict is HOLDS
    assert printed_numbers.mean_squares(tables_)(DesignCache(), True).verdict is FAILS
    squares = [exact_part(part, square=True) for part in TABLE_5_2[:1]]
    assert printed_numbers.mean_squares(squares)(DesignCache(), True).verdict is HOLDS
    assert printed_numbers.slope(tables_[0]) == pytest.approx(0.5, abs=0.03)
    assert printed_numbers.slope(squares[0]) == pytest.approx(1.0, abs=0.06)


def test_rows_and_gaps():
    row = tables.Row(tables.PRINTED, TABLE_5_2[0], "1.2")
    assert (row.best_tree, row.error("HH16"), row.where) == ("HH16", 0.642, "printed, 2^8 items, epsilon = 1.2")
    assert tables.gap(0.732, 0.642) == pytest.approx(0.1230, abs=1e-4)
    assert len(list(tables.rows_of(TABLE_5_3))) == 64
    assert [row.kind for row in tables.rows_of(TABLE_5_2, ("1",), (22,))] == ["printed", "exact"]


def test_crossings_are_the_last_epsilons():
    part = TABLE_5_2[0]
    last = tables.crossing(part)
    before, after = (tables.Row(tables.EXACT, part, f"{epsilon:.2f}") for epsilon in (last, last + 0.01))
    assert before.error("Haar") < before.error(before.best_tree)
    assert after.error("Haar") >= after.error(after.best_tree)
    assert lengths.last_epsilon(8) == pytest.approx(last, abs=0.011)


def test_trees_pass_flat_oracles_at_the_first_length():
    found = lengths.crossing(8)
    flat, best = (
        [average(name, FixedRanges(256, length)) for length in (found - 1, found)] for name in ("oue", tree(4))
    )
    assert best[1] < flat[1]
    assert best[0] >= flat[0]


@pytest.mark.parametrize(("k", "b"), [(16, 2), (27, 3)])
def test_both_steps_with_final_parents_are_least_squares(k, b):
    generator = np.random.default_rng(5)
    noisy = [generator.normal(size=len(level)) for level in tree_levels(k, b)]
    final = consistency.two_steps(noisy, b, parents_final=True)
    for low, high in itertools.pairwise([*final, np.ones(1)]):
        assert low.reshape(-1, b).sum(axis=1) == pytest.approx(high)
    design = np.vstack(tree_levels(k, b))
    residual = np.concatenate(noisy) - design @ final[0]
    gradient = design.T @ residual
    assert gradient == pytest.approx(np.full(k, gradient.mean()))
    worded = consistency.two_steps(noisy, b, parents_final=False)
    assert np.abs(worded[0] - final[0]).max() > 0.01


def test_the_tree_is_that_of_matrices():
    assert consistency.side_of(27, 3).sizes == (1, 3, 9, 27)
    assert consistency.nodes_of(16, 4).tolist() == np.vstack(tree_levels(16, 4)).tolist()


@pytest.mark.parametrize(("k", "b"), [(8, 2), (27, 3), (16, 4)])
def test_mean_nodes_by_hand(k, b):
    """The whole takes no node, since the root is known."""
    counts = [len(list(parts(first, last, b))) for first in range(k) for last in range(first, k)]
    assert theorems.mean_nodes(k, b) == pytest.approx((sum(counts) - 1) / len(counts))
    assert theorems.noise() == 3
    assert fanouts.best_of({2: 3.0, 4: 2.0, 8: 2.5}) == 4
