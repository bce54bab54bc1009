"""The rates of levels without users are stated too; `check_oracle` holds every rate against the law."""

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.oracles import make_oracle

ONE = Privacy(epsilon=1)


def test_levels_without_users_are_among_the_rates():
    """So the number of tails, over which the level is shared out, is no matter of chance."""
    oracle = make_oracle("hh", 8, ONE, b=2)
    few = oracle.aggregate(oracle.privatize(np.array([3])))
    many = oracle.aggregate(oracle.privatize(np.arange(800) % 8))
    assert [len(one.counts) for one in oracle.honest_rates(few)] == [
        len(one.counts) for one in oracle.honest_rates(many)
    ]
