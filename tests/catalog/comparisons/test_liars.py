"""The worst bias of liars is what an exact search over all reports finds."""

from fractions import Fraction

import numpy as np
import pytest
from oracle_cases import CASES

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.comparisons.liars import parse_liars, pull, worst_bias
from mechdesign_catalog.comparisons.survey import survey_oracles
from mechdesign_catalog.marginals.registry import parse_marginal_oracle
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.levels.level_oracle import LevelOracle
from mechdesign_catalog.oracles.registry import FLAT_ORACLES
from mechdesign_catalog.oracles.reports import State

FLAT = [case for case in CASES if not isinstance(case.small(), LevelOracle)]


def scores(oracle):
    """Return what each report says of each item, shape (reports, k): the estimate from it alone."""
    law = oracle.report_law()
    columns = list(oracle.wire.columns)
    found = []
    for report in law:
        rest, arrays = list(report), []
        for column in columns:
            width = int(np.prod(column.shape, dtype=int))
            part, rest = rest[:width], rest[width:]
            arrays.append(np.array(part).reshape(1, *column.shape).astype(column.dtype))
        one = oracle.aggregate(oracle.wire.reports(oracle.parameters, *arrays))
        found.append(np.atleast_1d(oracle.estimate(State(one.parameters, 1, one.sums))))
    return np.array(found)


@pytest.mark.parametrize("case", FLAT, ids=lambda case: case.label)
def test_no_report_moves_an_item_further_and_one_moves_it_so_far(case):
    oracle = case.small()
    found = scores(oracle)
    search = max(found.max(), (1 - found).max())
    assert float(pull(oracle)) == pytest.approx(search, rel=1e-9)


def test_a_design_can_be_moved_further_down_than_up():
    oracle = Designed.of(Mechanism(((3, 3, 2), (6, 4, 5), (3, 5, 5)), 12))
    found = scores(oracle)
    assert (1 - found).max() > found.max()
    assert float(pull(oracle)) == pytest.approx((1 - found).max(), rel=1e-9)


def test_every_flat_oracle_was_searched():
    assert {case.small().name for case in FLAT} == {*FLAT_ORACLES, "designed", "workload-design"}


@pytest.mark.parametrize("maximum", [1, "7/2"])
def test_a_mean_is_moved_in_its_own_unit(maximum):
    oracle = OneBitMean(3, Privacy(epsilon=1), maximum)
    found = [oracle.estimate(State(oracle.parameters, 1, np.array([ones]))) for ones in (0, 1)]
    top = float(oracle.maximum)
    assert float(pull(oracle)) == pytest.approx(max(found[1] - 0, top - found[0]), rel=1e-12)


def test_a_crowd_with_liars_is_biased_by_that_much():
    """90 honest users who all have item 1, and 10 who send item 0: the mean over all draws of the honest."""
    oracle = make_oracle("grr", 4, Privacy(alpha="1/2"))
    p, q = oracle.support.p, oracle.support.q
    expected = np.array([float(90 * q), float(90 * p), float(90 * q), float(90 * q)]) + np.array([10, 0, 0, 0])
    estimate = oracle.support.estimate(expected, 100)
    assert estimate[0] == pytest.approx(float(worst_bias(oracle, Fraction(1, 10))))


def test_the_survey_has_it_for_every_oracle():
    with_liars = survey_oracles(8, Privacy(epsilon=1), 1000, liars="0.01")
    for standing in with_liars:
        entry = standing.entry()
        assert entry["liars"] == 0.01
        assert entry["worst_bias"] == float(pull(standing.oracle) / 100) > 0.01
    assert "worst_bias" not in survey_oracles(8, Privacy(epsilon=1), 1000)[0].entry()


@pytest.mark.parametrize("liars", ["0", "1", "-0.1", 2])
def test_a_fraction_of_liars_is_between_nobody_and_all(liars):
    with pytest.raises(InputError, match=r"liars must be in \(0, 1\), got liars="):
        parse_liars(liars)


def test_levels_are_refused():
    with pytest.raises(InputError, match="oracle must not share users out for the bias of each liar, got hh"):
        pull(make_oracle("hh", 8, Privacy(epsilon=1)))


@pytest.mark.parametrize("name", ["spl", "rs+fd", "rs+fd:encoding=oue-z"])
def test_an_item_of_an_attribute_is_moved_as_far_as_a_search_finds(name):
    oracle = parse_marginal_oracle(name, (2, 4), Privacy(epsilon=1))
    found = []
    for report in oracle.report_law():
        rest, columns = list(report), []
        for column in oracle.wire.columns:
            width = int(np.prod(column.shape, dtype=int))
            columns.append(np.array(rest[:width]).reshape(1, *column.shape).astype(column.dtype))
            rest = rest[width:]
        found += oracle.estimate(oracle.aggregate(oracle.wire.reports(oracle.parameters, *columns)))
    scores_of_items = np.concatenate(found)
    search = max(scores_of_items.max(), (1 - scores_of_items).max())
    assert float(worst_bias(oracle, Fraction(1, 50))) == pytest.approx(search / 50, rel=1e-9)


def test_liars_who_choose_the_attribute_are_more_of_its_users():
    """800 honest users of two attributes, and 200 liars who all report the first: 200 of 600 there."""
    oracle = parse_marginal_oracle("smp", (3, 3), Privacy(alpha="1/2"))
    p, q = oracle.oracles[0].support.p, oracle.oracles[0].support.q
    expected = np.array([float(400 * q) + 200, float(400 * p), float(400 * q)])
    estimate = oracle.oracles[0].support.estimate(expected, 600)
    assert estimate[0] == pytest.approx(float(worst_bias(oracle, Fraction(1, 5))))
