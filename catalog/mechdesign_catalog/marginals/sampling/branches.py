"""Share users out over branches, and put the covariance of estimates together from what each branch has.

A branch is what one user reports about: a set of attributes, a coefficient, or both. It is drawn with public chances,
so that it tells nothing. The server divides what branch b tells by the number `n_b` of its users, which it sees. Let
branch b tell `g_b` of a user, a vector with an entry for each cell of a table, so that the sum over all branches is the
user's own cell and a constant. Given the `n_b`, the users of a branch are a random sample of all n. So estimates are
unbiased, and for users whose tuples are fixed

    Cov = sum_b (N_b + n/(n-1) S_b) / n_b - (diag(F) - F F^T) / (n-1)

exactly. `N_b` is the covariance of a user's report about `g_b`, in the mean over all users; `S_b` the covariance of
`g_b` over all users; F are the shares of the cells. Weights of branches may depend on the `n_b`, not on reports.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, NoAnswerError
from mechdesign.mechanism.sampling import ColumnSampler, WordSource
from mechdesign_catalog.marginals.marginal_base import MarginalBase
from mechdesign_catalog.oracles.kernels.draws import uniform_below
from mechdesign_catalog.oracles.oracle import Users, Values
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.reports import Column, State, counted, require_counts, require_length


def table_covariance(noise: Floats, spread: Floats, shares: Floats, users: Floats) -> Floats:
    """Compute the covariance of a table's cells, shape (cells, cells).

    Args:
        noise: `sum_b N_b / n_b`, shape (cells, cells).
        spread: `sum_b S_b / n_b`, of the same shape.
        shares: F, shape (cells,).
        users: `n_b`, shape (branches,); real numbers where they are planned.
    """
    total = float(users.sum())
    if len(users) == 1 or total == 1:
        return noise
    found: Floats = noise + (total * spread - np.diag(shares) + np.outer(shares, shares)) / (total - 1)
    return found


def table_variances(noise: Floats, spread: Floats, shares: Floats, users: Floats) -> Floats:
    """Compute the diagonal of `table_covariance`, where `noise` and `spread` are the diagonals; shape (cells,)."""
    total = float(users.sum())
    if len(users) == 1 or total == 1:
        return noise
    found: Floats = noise + (total * spread - shares * (1 - shares)) / (total - 1)
    return found


MOST_BRANCHES = 1 << 20
"""Branches at most."""


def require_few_branches(branches: int, what: str) -> None:
    """Refuse more branches than can be listed.

    Raises:
        InputError: with what they are, and their number.
    """
    if branches > MOST_BRANCHES:
        raise InputError(f"{what} must be at most 2^20, got {branches}; take a smaller k")


@dataclass(frozen=True)
class BranchedOracle(MarginalBase):
    """Serve a system whose users share out over branches: a subclass says what they are, and how tables follow.

    Branches are numbered from 0, as in reports. A state has the numbers of users of all branches, then `sums_length`
    sums of what they reported. Where not every branch is needed, a table is refused if no user reported about it.
    """

    needs_every_branch: ClassVar[bool] = True

    @property
    @abstractmethod
    def branch_weights(self) -> Sequence[int]:
        """How often each branch is drawn: in proportion to these whole numbers above 0, which are public."""

    @abstractmethod
    def branch_name(self, branch: int) -> str:
        """Return what a message calls a branch."""

    @property
    @abstractmethod
    def sums_length(self) -> int:
        """Number of sums in a state after the numbers of users."""

    @cached_property
    def branches(self) -> int:
        """Number of branches."""
        return len(self.branch_weights)

    @cached_property
    def branch_chances(self) -> tuple[Fraction, ...]:
        """Chance of each branch."""
        total = sum(self.branch_weights)
        return tuple(Fraction(weight, total) for weight in self.branch_weights)

    def draw_branches(self, count: int, source: WordSource) -> Values:
        """Draw the branches of so many users, exactly by their chances."""
        weights = list(self.branch_weights)
        if min(weights) == max(weights):
            return uniform_below(len(weights), count, source)
        return ColumnSampler(weights, sum(weights)).draw(source, count)

    def simulated_branches(self, count: int, generator: np.random.Generator) -> Values:
        """Draw branches for simulation: chances are rounded to floats."""
        ends = np.cumsum([float(chance) for chance in self.branch_chances])
        return np.searchsorted(ends[:-1], generator.random(count), side="right").astype(np.int64)

    def branch_state(self, branches: Column, sums: Values) -> State:
        """Make the state of users in these branches, shape (users,), with these sums of their reports."""
        counts = counted(branches, self.branches)
        return State(self.parameters, len(branches), np.concatenate([counts, sums]).astype(np.int64))

    def split_state(self, state: State) -> tuple[Values, Values]:
        """Return the numbers of users of the branches, and the sums, of a state that is this oracle's.

        Raises:
            InputError: for another state, or for numbers of users that do not add up.
        """
        state = self.checked_state(state)
        sums = require_length(state.sums, self.branches + self.sums_length)
        counts = require_counts(sums[: self.branches], state.users)
        if int(counts.sum()) != state.users:
            raise InputError(f"a state must have {state.users} users over all branches, got {counts.sum()}")
        return counts, sums[self.branches :]

    def users_of(self, state: State) -> Floats:
        """Return the number of users of each branch.

        Raises:
            InputError: for a state that is not this oracle's.
            NoAnswerError: for a branch without users, where every branch is needed.
        """
        counts, _ = self.split_state(state)
        if self.needs_every_branch and not counts.all():
            raise self.untold(int(np.argmin(counts)), state.users)
        return counts.astype(np.float64)

    def untold(self, branch: int, users: float) -> NoAnswerError:
        """Make the error for a branch that is needed and has none of so many users."""
        people = "1 user" if users == 1 else f"{users:.0f} users"
        return NoAnswerError(
            f"{self.branch_name(branch)} must have a report, got none from {people}, each about one of "
            f"{self.branches}; collect more reports, of fewer attributes, or with a smaller k"
        )

    def planned_users(self, users: int) -> Floats:
        """Return the number of users of each branch on average, shape (branches,).

        Raises:
            InputError: for less than two users where there are several branches.
        """
        least = min(2, self.branches)
        if users < least:
            raise InputError(f"users must be at least {least} for {self.name}, got {users}")
        return users * np.array([float(chance) for chance in self.branch_chances])

    def users_by_branch(self, users: Users) -> Floats:
        """Check the numbers of users of the branches that variances are computed for.

        Raises:
            InputError: for anything but a number for each; above 0, where every branch is needed.
        """
        if isinstance(users, np.ndarray) and users.shape == (self.branches,):
            enough = (users > 0).all() if self.needs_every_branch else (users >= 0).all() and users.any()
            if enough:
                return users.astype(np.float64)
        raise InputError(f"users must be {self.branches} numbers above 0, one for each branch, got {users}")
