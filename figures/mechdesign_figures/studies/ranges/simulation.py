"""Simulated collections of ranges: users with Cauchy shares, and sums from their law."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.datasets.items import ItemCounts, open_items
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_figures.studies.ranges.systems import USERS, oracle
from mechdesign_figures.studies.repeated import NOISE_STREAM

DATA_SEED = 5_200
LAW = "cauchy:0.4"
"""The published data are Cauchy, with parameters that are not printed: centre 0.4 k and scale k / 10 are ours."""


@lru_cache(maxsize=4)
def cauchy_users(k: int, users: int) -> ItemCounts:
    """Make up so many users; they are the same in every study and claim."""
    return open_items(LAW, k=k, people=users, seed=DATA_SEED)


@dataclass(frozen=True)
class Simulation:
    """A number of repetitions with a number of users.

    Errors are scaled to those of 2^26 users by the root of the ratio.
    """

    users: int
    repetitions: int

    def states(self, name: str, k: int, privacy: Privacy) -> Iterator[State]:
        """Draw the server's state once for each repetition, each with noise of its own."""
        data = cauchy_users(k, self.users)
        for repetition in range(self.repetitions):
            seed = (*f"{name} {privacy}".encode(), k, self.users, repetition, NOISE_STREAM)
            yield oracle(name, k, privacy).simulate_sums(data.counts, np.random.default_rng(seed))

    def errors(self, name: str, k: int, privacy: Privacy) -> Iterator[Floats]:
        """Yield the errors of the estimated shares, shape (k,), once for each repetition."""
        shares = cauchy_users(k, self.users).frequencies
        for state in self.states(name, k, privacy):
            yield (oracle(name, k, privacy).estimate(state) - shares) * self.scale

    @property
    def scale(self) -> float:
        """What errors are multiplied by."""
        return math.sqrt(self.users / USERS)


def root_mean_square(errors: Floats, starts: range) -> float:
    """Return the root mean square, over all ranges that begin at `starts`, of the sum of the errors of their items.

    Prefixes are the ranges that begin at 0. With c the running sums, ranges from item i have
    `sum over j > i of (c_j - c_i)^2 = sum c_j^2 - 2 c_i sum c_j + (k - i) c_i^2`.
    """
    running = np.concatenate([[0.0], np.cumsum(errors)])
    running -= running.mean()
    first = np.array(starts)
    sums, squares = (np.cumsum(values[::-1])[::-1][first + 1] for values in (running, running**2))
    beyond = len(errors) - first
    totals = squares - 2 * running[first] * sums + beyond * running[first] ** 2
    return math.sqrt(float(totals.sum()) / int(beyond.sum()))
