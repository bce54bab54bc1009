"""Answers of queries from reports: the same as from the shares, and intervals as often right as they say."""

import numpy as np
import pytest

from mechdesign import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.queries import Intervals, LinearQueries
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.servers.aggregating import aggregate
from mechdesign_catalog.datasets.items.bins import parse_bins
from mechdesign_catalog.oracles import make_oracle

K, COUNTS = 12, np.array([500, 0, 0, 900, 100, 100, 2000, 0, 300, 0, 50, 50])


def estimate(name="oue", seed=1):
    oracle = make_oracle(name, K, Privacy(epsilon=1))
    state = oracle.draw_state(COUNTS, np.random.default_rng(seed))
    return FrequencyEstimate.of(oracle, parse_bins("0:12:1"), state, ordered=True)


@pytest.mark.parametrize("name", ["grr", "oue"])
def test_single_items_are_answered_as_they_are_estimated(name):
    found = estimate(name)
    assert found.estimates.sum() == pytest.approx(1)
    items = found.answers(LinearQueries(np.eye(K)), 0.9)
    assert items.shares == pytest.approx(found.estimates, abs=1e-14)
    assert items.standard_errors == pytest.approx(found.standard_errors, rel=1e-9)
    assert np.array([items.low, items.high]) == pytest.approx(np.array(found.intervals(0.9)), abs=1e-9)
    assert np.array([items.low_all, items.high_all]) == pytest.approx(
        np.array(found.simultaneous_intervals(0.9)), abs=1e-9
    )
    assert items.confidence == 0.9


def test_prefixes_are_ranges_from_the_first_item():
    found = estimate()
    prefixes = found.cumulative()
    assert prefixes.shares == pytest.approx(np.cumsum(found.estimates), abs=1e-12)
    one = found.answers(Intervals(K, np.array([0]), np.array([4])))
    assert (one.shares[0], one.standard_errors[0], one.low[0]) == pytest.approx(
        (prefixes.shares[4], prefixes.standard_errors[4], prefixes.low[4])
    )
    assert one.low_all[0] == one.low[0]
    assert (prefixes.low_all[:-1] < prefixes.low[:-1]).all()
    assert (prefixes.low_all[-1], prefixes.high_all[-1]) == pytest.approx((1, 1))


@pytest.mark.slow
def test_intervals_of_ranges_hold_as_often_as_they_say():
    queries = Intervals(K, np.array([0, 3, 6, 2]), np.array([5, 8, 6, 11]))
    truth = queries.apply(COUNTS / COUNTS.sum())
    each = together = 0
    for seed in range(1000):
        answers = estimate(seed=seed).answers(queries, 0.8)
        each += ((answers.low <= truth) & (truth <= answers.high)).mean()
        together += ((answers.low_all <= truth) & (truth <= answers.high_all)).all()
    assert abs(each / 1000 - 0.8) < 0.04
    assert together / 1000 > 0.8 - 0.04


def test_what_is_refused():
    found = aggregate(privatize([1, 2, 3], "olh", epsilon=1, bins="0:12:1"))
    with pytest.raises(InputError, match="queries must be on the 12 items of the oracle, got queries on 11"):
        found.answers(Intervals(11, np.array([0]), np.array([1])))
    with pytest.raises(InputError, match=r"level must be in \(0, 1\), got level=1"):
        found.cumulative(1)
