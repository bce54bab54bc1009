"""The stated model: its law, and that data from it lead back to it."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from mechdesign.designs import design
from mechdesign.mechanism.sampling import Sampler, seeded_words
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.releases.estimates.pooled import beta_binomial, pooled_estimate


def test_the_law_of_a_group():
    means, spreads = np.array([0.2, 0.5, 0.9]), np.array([0.1, 0.5, 0.0])
    found = beta_binomial(7, means, spreads)
    count = np.arange(8)
    assert found[0] == pytest.approx(betabinom.pmf(count, 7, 0.2 * 9, 0.8 * 9))
    assert found[1] == pytest.approx(betabinom.pmf(count, 7, 0.5, 0.5))
    assert found[2] == pytest.approx(binom.pmf(count, 7, 0.9))


def rows_of(mechanisms):
    return lambda size, outputs: mechanisms[size].matrix()[outputs]


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "spread"), [(0.3, 0.0), (0.2, 0.2)])
def test_data_of_the_model_lead_back_to_it(mean, spread):
    chance = np.random.default_rng(11)
    mechanisms, counts = {}, {}
    for n in (4, 11):
        units = (1 - spread) / spread if spread else np.inf
        own = np.full(2000, mean) if not spread else chance.beta(mean * units, (1 - mean) * units, 2000)
        mechanisms[n] = design(DesignProblem(n, "1/2", properties="WH,RM,CM")).mechanism
        sampler = Sampler(mechanisms[n].weights, mechanisms[n].denominator, seeded_words((n, 5)))
        counts[n] = Counter(sampler.sample(chance.binomial(n, own)).tolist())
    found = pooled_estimate(rows_of(mechanisms), counts, 0.999)
    deviation = (spread * mean * (1 - mean)) ** 0.5
    assert found.mean.low <= mean <= found.mean.high
    assert found.mean.high - found.mean.low < 0.1
    assert found.deviation.low - 0.02 <= deviation <= found.deviation.high + 0.02
    assert sum(share.value for share in found.distribution) == pytest.approx(1)


def test_few_groups_tell_nothing():
    mechanism = design(DesignProblem(3, "99/100", properties="WH,RM,CM")).mechanism
    found = pooled_estimate(rows_of({3: mechanism}), {3: {0: 2, 3: 1}}, 0.95)
    assert (found.mean.low, found.mean.high) == (0.005, 0.995)
    assert all(share.low == 0.0 and share.high > 0.9 for share in found.distribution)
