"""The worst bias of an answer is what an exact search over all reports, levels and honest users finds."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from oracle_cases import CASES, told_by

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Histogram, Ranges
from mechdesign_catalog.randomizers.facts.liars import most_moved, worst_answer_bias
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems import make_oracle, parse_oracle
from mechdesign_catalog.systems.flat.sketch import Hcms

SPLITS = 12
"""Parts in which the liars are shared out over the levels."""


def level_parts(oracle, queries):
    """For each level and query: the answer's part from each report, and its mean over those of each honest item."""
    levels = oracle.parts if isinstance(oracle, Mixture) else [oracle]
    empty = [np.zeros_like(told_by(level, next(iter(level.report_law())))) for level in levels]
    found = []
    for number, level in enumerate(levels):
        law = level.report_law()
        told = np.array([told_by(level, report) for report in law])
        chances = np.array([[float(chance) for chance in row] for row in law.values()])

        def answer(estimate, number=number):
            if not isinstance(oracle, Mixture):
                return queries.apply(estimate)
            others = [*empty[:number], estimate, *empty[number + 1 :]]
            return oracle.answers_of(others, queries) - oracle.answers_of(empty, queries)

        of_reports = np.array([answer(row) for row in told])
        items = np.arange(oracle.k)
        own = oracle.encode(number, items) if isinstance(oracle, Mixture) else items
        found.append((of_reports, (chances.T @ of_reports)[own]))
    return found


def searched(oracle, workload, liars):
    """Go through all queries, items of the honest, reports of each level, and many ways to share out the liars."""
    queries = workload.queries()
    whole = queries.sums == oracle.k
    parts = level_parts(oracle, queries)
    chances = [float(c) for c in oracle.branch_chances] if isinstance(oracle, Mixture) else [1.0]
    present = [(1 - liars) * chance for chance in chances]
    steps = 1 if len(parts) == 1 else SPLITS
    worst = 0.0
    for bars in itertools.combinations(range(steps + len(parts) - 1), len(parts) - 1):
        split = np.diff([-1, *bars, steps + len(parts) - 1]) - 1
        for sign in (1, -1):
            moved = 0.0
            for (reports, honest), count, users in zip(parts, split, present, strict=True):
                lying = liars * count / steps
                best = (sign * reports).max(axis=0) - sign * honest
                moved = moved + lying / (lying + users) * best
            known = whole if isinstance(oracle, Mixture) else np.zeros_like(whole)
            worst = max(worst, float(np.where(known, 0, moved).max()))
    return worst


SMALL = [
    case
    for case in CASES
    if not isinstance(one := case.small(), Hcms) and not (isinstance(one, Mixture) and not one.is_counted)
]
"""Of mixtures that are not counted, `check_oracle` goes through all reports."""


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.label)
def test_no_reports_move_an_answer_further_and_some_move_it_so_far(case):
    oracle = case.small()
    workload = Ranges(oracle.k)
    for liars in (Fraction(1, 100), Fraction(1, 3)):
        found, search = worst_answer_bias(oracle, workload, liars), searched(oracle, workload, float(liars))
        assert search <= float(found.value) * (1 + 1e-9)
        if found.is_exact:
            assert search == pytest.approx(float(found.value), rel=0.02 if isinstance(oracle, Mixture) else 1e-9)


@pytest.mark.parametrize("options", [{}, {"levels": "2-3", "estimate": "raw"}], ids=["ci", "raw"])
def test_liars_among_sets_of_nodes_move_an_answer_so_far(options):
    oracle = make_oracle("hh", 6, Privacy(epsilon="1/2"), b=4, in_="ss", **options)
    found = worst_answer_bias(oracle, Ranges(6), Fraction(1, 100))
    assert found.is_exact
    assert searched(oracle, Ranges(6), 0.01) == pytest.approx(float(found.value), rel=1e-3)


def test_liars_do_best_at_several_levels():
    """Two equal levels: half of the liars go to each, and move more than all of them at one."""
    found = float(most_moved(np.array([1.0, 1.0]), np.array([0.4, 0.4]), 0.2))
    assert found == pytest.approx(2 * 0.1 / 0.5)
    assert found > 0.2 / 0.6


def test_liars_leave_a_level_alone_that_moves_little():
    assert float(most_moved(np.array([1.0, 0.1]), np.array([0.4, 0.4]), 0.2)) == pytest.approx(0.2 / 0.6)
    assert float(most_moved(np.array([0.0, 0.0]), np.array([0.4, 0.4]), 0.2)) == 0


def test_a_crowd_with_liars_at_the_levels_is_biased_by_no_more():
    """A third of many users lies; honest reports are drawn, and all liars send one report at one level."""
    oracle = make_oracle("hh", 8, Privacy(epsilon=1), b=2)
    workload, liars = Ranges(8), Fraction(1, 3)
    bound = float(worst_answer_bias(oracle, workload, liars).value)
    honest = oracle.simulate_sums(np.array([200_000, *[0] * 7]), np.random.default_rng(5))
    report = oracle.privatize(np.full(1, 7))
    one = oracle.aggregate(report)
    lying = State(honest.parameters, 300_000, honest.sums + 100_000 * one.sums)
    truth = workload.answers(np.eye(8)[0])
    assert np.abs(oracle.answers(lying, workload.queries()) - truth).max() < bound * 1.05


@pytest.mark.parametrize("name", ["hh:b=2", "hh:b=3:in=grr:estimate=raw", "haar", "haar:levels=3-2-1"])
def test_an_item_of_a_tree_is_moved_as_far_as_a_search_finds(name):
    oracle = parse_oracle(name, 6, Privacy(epsilon=1))
    found = oracle.worst_bias(Fraction(1, 10))
    assert found.is_exact
    assert searched(oracle, Histogram(6), 0.1) == pytest.approx(float(found.value), rel=0.02)


def test_large_workloads_are_left_out():
    oracle = make_oracle("grr", 256, Privacy(epsilon=1))
    assert worst_answer_bias(oracle, Ranges(256), Fraction(1, 100)) is None
    assert make_oracle("haar", 4096, Privacy(epsilon=1)).worst_bias(Fraction(1, 100)) is None


def test_a_workload_of_very_many_weights_is_not_searched():
    """160 items have 2,060,800 weights of ranges, 161 have 2,099,601; at most 2^21 are looked at."""
    found = [
        worst_answer_bias(make_oracle("grr", k, Privacy(epsilon=1)), Ranges(k), Fraction(1, 100)) for k in (160, 161)
    ]
    assert found[0] is not None
    assert found[1] is None
