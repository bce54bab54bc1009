"""The worst bias of liars is what an exact search over all reports finds."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from oracle_cases import told_by
from wording import refused

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.survey import survey_oracles
from mechdesign_catalog.decoders.tables.subsets import subsets_of
from mechdesign_catalog.randomizers.facts.liars import PooledBranch, most_moved_by_components, parse_liars
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems import make_oracle
from mechdesign_catalog.systems.attributes.marginal_oracle import worst_table
from mechdesign_catalog.systems.designs.designed import Designed
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_catalog.testing import single_report

PERCENT = Fraction(1, 100)


def test_a_design_can_be_moved_further_down_than_up():
    oracle = Designed.of(Mechanism(((3, 3, 2), (6, 4, 5), (3, 5, 5)), 12))
    found = np.array([told_by(oracle, report) for report in oracle.report_law()])
    assert (1 - found).max() > found.max()
    assert 100 * float(oracle.worst_bias(PERCENT).value) == pytest.approx((1 - found).max(), rel=1e-9)


@pytest.mark.parametrize("maximum", [1, "7/2"])
def test_a_mean_is_moved_in_its_own_unit(maximum):
    oracle = OneBitMean(3, Privacy(epsilon=1), maximum)
    found = [oracle.estimate(State(oracle.parameters, 1, np.array([ones]))) for ones in (0, 1)]
    top = float(oracle.maximum)
    assert 100 * float(oracle.worst_bias(PERCENT).value) == pytest.approx(max(found[1] - 0, top - found[0]), rel=1e-12)


def test_a_crowd_with_liars_is_biased_by_that_much():
    """90 honest users who all have item 1, and 10 who send item 0: the mean over all draws of the honest."""
    oracle = make_oracle("grr", 4, Privacy(alpha="1/2"))
    p, q = oracle.support.p, oracle.support.q
    expected = np.array([float(90 * q), float(90 * p), float(90 * q), float(90 * q)]) + np.array([10, 0, 0, 0])
    estimate = oracle.support.estimate(expected, 100)
    assert estimate[0] == pytest.approx(float(oracle.worst_bias(Fraction(1, 10)).value))


def test_the_survey_has_it_for_every_oracle():
    with_liars = survey_oracles(8, Privacy(epsilon=1), 1000, liars="0.01")
    for standing in with_liars:
        entry = standing.entry()
        assert entry["liars"] == 0.01
        assert entry["worst_bias"] == float(standing.oracle.worst_bias(PERCENT).value) > 0.01
    assert "worst_bias" not in survey_oracles(8, Privacy(epsilon=1), 1000)[0].entry()


@pytest.mark.parametrize("liars", ["0", "1", "-0.1", 2])
def test_a_fraction_of_liars_is_between_nobody_and_all(liars):
    with refused(InputError, about="liars"):
        parse_liars(liars)


def test_liars_who_choose_the_attribute_are_more_of_its_users():
    """800 honest users of two attributes, and 200 liars who all report the first: 200 of 600 there."""
    oracle = parse_marginal_oracle("smp", (3, 3), Privacy(alpha="1/2"))
    p, q = oracle.parts[0].support.p, oracle.parts[0].support.q
    expected = np.array([float(400 * q) + 200, float(400 * p), float(400 * q)])
    estimate = oracle.parts[0].support.estimate(expected, 600)
    assert estimate[0] == pytest.approx(float(oracle.worst_bias(Fraction(1, 5)).value))


TABLES = {
    "spl": (2, 3),
    "smp": (2, 3),
    "rs+fd:encoding=grr": (2, 3),
    "inprr:oue": (2, 2),
    "inpps": (2, 3),
    "inpolh": (2, 2),
    "inpem": (2, 2, 2),
    "inpem:k=1": (2, 2),
    "margrr": (2, 2, 2),
    "margps": (2, 2, 2),
    "marght": (2, 2, 2),
    "calm:sets=0.1.2+0.1+1.2": (2, 2, 2),
    "calm:sets=0.1+0.2+1.2:k=1": (2, 2, 2),
    "inpht": (2, 3),
    "inpht:draw=uniform:k=3": (2, 2, 2),
    "inpes": (3, 2),
}
PARTS = 10


def crowds(oracle, liars):
    """Yield the sums of crowds with liars, and the honest tuple, each crowd an exact multiple of the report's law.

    Liars of a branch all send one report: that which moves the cell furthest, as the estimate is linear in it.
    """
    law = oracle.report_law()
    sums = {key: oracle.aggregate(single_report(oracle, key)).sums.astype(object) for key in law}
    whole = math.lcm(*(chance.denominator for row in law.values() for chance in row)) * liars.denominator * PARTS
    lying = int(whole * liars)
    for number in range(len(oracle.tuples())):
        honest = sum(int((whole - lying) * row[number]) * sums[key] for key, row in law.items())
        yield number, whole, honest, lying, sums


def branch_of(oracle, sums):
    """Return the branch of a report; that of all where users do not share out."""
    branches = getattr(oracle, "branches", len(oracle.domains) if oracle.name == "smp" else 1)
    return int(np.argmax(sums[:branches].astype(int))) if branches > 1 else 0


def searched(oracle, estimator, liars):
    """Go through all tables, cells, honest tuples and reports, and ways to share out the liars over branches."""
    worst = 0.0
    for subset in subsets_of(len(oracle.domains), oracle.way):
        for number, users, honest, lying, sums in crowds(oracle, liars):

            def table(own, honest=honest, users=users, subset=subset):
                state = State(oracle.parameters, users, (honest + own).astype(np.int64))
                return estimator.estimate(state, [subset])[0]

            truth = np.eye(oracle.cells_of_tuples(subset).max() + 1)[oracle.cells_of_tuples(subset)[number]]
            moved = {key: table(lying * part) - truth for key, part in sums.items()}
            by_branch = {}
            for key, part in sums.items():
                by_branch.setdefault(branch_of(oracle, part), []).append(key)
            for sign in (1, -1):
                worst = max(worst, max(float((sign * far).max()) for far in moved.values()))
                for cell in range(len(truth)) if len(by_branch) > 1 else ():
                    best = [max(keys, key=lambda key: sign * moved[key][cell]) for keys in by_branch.values()]
                    best.sort(key=lambda key: -sign * moved[key][cell])
                    shared = []
                    for some in range(2, len(best) + 1):
                        evenly = sum(sums[key] for key in best[:some]) * (lying // some)
                        shared.append(evenly + lying % some * sums[best[0]])
                    for part in range(1, PARTS):
                        split = lying // PARTS * part
                        shared.append(split * sums[best[0]] + (lying - split) * sums[best[1]])
                    worst = max(worst, *(float(sign * (table(own) - truth)[cell]) for own in shared))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("text", TABLES)
def test_a_cell_of_a_table_is_moved_as_far_as_a_search_finds(text):
    oracle = parse_marginal_oracle(text, TABLES[text], Privacy(alpha="3/4" if text == "inpolh" else "1/4"))
    liars = Fraction(1, 10)
    found, search = oracle.worst_bias(liars), searched(oracle, oracle.raw, liars)
    assert search <= float(found.value) * (1 + 1e-9)
    assert found.is_exact
    assert search >= 0.97 * float(found.value)  # evenly at the best branches, or tenths at two


@pytest.mark.slow
@pytest.mark.parametrize("text", TABLES)
def test_a_cell_of_a_table_of_least_squares_is_moved_as_far_as_a_search_finds(text):
    """Sums of ratios: where users share out, what is stated may be a bound, hardly above what is found."""
    oracle = parse_marginal_oracle(text, TABLES[text], Privacy(alpha="3/4" if text == "inpolh" else "1/4"))
    liars = Fraction(1, 4)
    found, search = (
        worst_table(oracle, oracle.least_squares, liars),
        searched(oracle, oracle.least_squares, liars),
    )
    assert search <= float(found.bias.value) * (1 + 1e-9)
    assert search >= 0.97 * float(found.bias.value)


def test_liars_of_pooled_tables_weigh_in_the_weights():
    """Two of three sets tell a table: 5 % of the users who all attack one of them are more of its users."""
    oracle = parse_marginal_oracle("calm:sets=0.1+0.2+1.2:k=1", (2, 2, 2), Privacy(alpha="1/4"))
    kind = oracle.parts[0]
    gain = max(kind.highest_scores(np.array([[1.0, 1.0, 0.0, 0.0]])))
    down = 1 + max(kind.highest_scores(-np.array([[1.0, 1.0, 0.0, 0.0]])))
    found = oracle.worst_bias(Fraction(1, 20))
    assert float(found.value) == pytest.approx(0.05 * max(gain, down) / (0.95 * 2 / 3 + 0.05))


def ratios(seed, many):
    """Three branches tell three components; the most that a grid of ways to share out finds over all reports."""
    random = np.random.default_rng(seed)
    weights = random.integers(0, 2, size=(3, 3)) * random.random((3, 3))
    weights[0] = random.random(3)
    rows, honest = random.normal(size=(3, 3, 4)) * (weights > 0)[:, :, None], random.normal(size=(3, 2)) / 4
    branches = [PooledBranch(0.3, w, r, lambda u: u.max(axis=1)) for w, r in zip(weights, rows, strict=True)]
    worst = 0.0
    for one, other in itertools.product(np.linspace(0, 1, 41), repeat=2):
        if one + other <= 1 + 1e-12:
            lying = many * np.array([one, other, 1 - one - other])
            below = weights.T @ ((1 - many) * 0.3 + lying)
            scores = np.einsum("bp,bpr,p->br", weights, rows, 1 / below).max(axis=1)
            worst = max(worst, float((lying @ scores - (weights.T @ lying / below) @ honest).max()))
    return branches, honest, worst


@pytest.mark.parametrize("seed", range(4))
def test_a_sum_of_ratios_is_bounded_from_both_sides(seed):
    branches, honest, worst = ratios(seed, 0.2)
    reached, bound = most_moved_by_components(branches, honest, 0.2)
    assert worst <= bound * (1 + 1e-12)
    assert reached <= bound <= reached * (1 + 1e-3)
    assert worst >= 0.99 * reached


def test_a_bound_holds_before_anything_is_split():
    """Each of its terms is needed: without one of them it would be passed by what is found in between."""
    random, many = np.random.default_rng(0), 0.9
    for _ in range(300):
        weights, rows = 10.0 ** random.uniform(-2, 2, size=(2, 2)), random.normal(size=(2, 2, 2))
        branches = [PooledBranch(0.5, w, r, lambda u: u.max(axis=1)) for w, r in zip(weights, rows, strict=True)]
        _, bound = most_moved_by_components(branches, np.zeros((2, 1)), many, most_splits=0)
        for share in np.linspace(0, 1, 41):
            lying = many * np.array([share, 1 - share])
            inverse = 1 / (weights.T @ ((1 - many) / 2 + lying))
            assert lying @ np.einsum("bp,bpr,p->br", weights, rows, inverse).max(axis=1) <= bound * (1 + 1e-9)
