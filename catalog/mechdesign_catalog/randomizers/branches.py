"""Branches that users share out over, drawn with public chances and counted.

A branch is what one user reports about: a level of a tree, an attribute, a table, a coefficient. It tells nothing. The
server divides what a branch tells by the number of its users, which it sees; or, where it is not counted, what all of
them tell by the number of all users.
"""

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechdesign.errors import InputError, NoAnswerError
from mechdesign.mechanism.sampling import ColumnSampler, WordSource
from mechdesign_catalog.randomizers.kernels.draws import uniform_below
from mechdesign_catalog.randomizers.oracle import LocalOracle, Users, Values
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import Column, State, counted, require_counts


class Branched(LocalOracle):
    """The system whose users share out over branches; subclasses say what is reported.

    Branches are numbered from 0 in lists. A state has the numbers of users of all branches, then `sums_length` sums of
    what they reported.
    """

    needs_every_branch: ClassVar[bool] = False
    """Whether nothing is estimated where a branch has no user."""

    is_counted: ClassVar[bool] = True
    """Whether what a branch tells is divided by the number of its users; else by that of all."""

    equal_branches_by_remainder: ClassVar[bool] = True
    """Whether equally likely branches are remainders of words (`uniform_below`), which other draws are not."""

    shared_out: ClassVar[str] = "{} users over all branches"
    """What a message says that a state must have."""

    @property
    @abstractmethod
    def branch_weights(self) -> Sequence[int]:
        """How often each branch is drawn: in proportion to these whole numbers above 0, which are public."""

    @abstractmethod
    def branch_name(self, branch: int) -> str:
        """Return what a message calls a branch."""

    @property
    def sums_length(self) -> int:
        """Number of sums in a state after the numbers of users."""
        return self.contribution.length - self.branches

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
        if self.equal_branches_by_remainder and min(weights) == max(weights):
            return uniform_below(len(weights), count, source)
        return ColumnSampler(weights, sum(weights)).draw(source, count)

    def simulated_branches(self, count: int, generator: np.random.Generator) -> Values:
        """Draw branches for simulation: chances are rounded to floats."""
        ends = np.cumsum([float(chance) for chance in self.branch_chances])
        return np.searchsorted(ends[:-1], generator.random(count), side="right").astype(np.int64)

    def branch_state(self, branches: Column, sums: Values) -> State:
        """Make the state of users in these branches, shape (users,), with these sums of their reports."""
        counts = counted(branches, self.branches)
        return State(self.parameters, len(branches), np.concatenate([counts, sums]).astype(np.int64, copy=False))

    def split_state(self, state: State) -> tuple[Values, Values]:
        """Return the numbers of users of the branches, and the sums, of a state that is this oracle's.

        Raises:
            InputError: for another state, or for numbers of users that do not add up.
        """
        sums = self.checked_state(state).sums
        counts = require_counts(sums[: self.branches], state.users)
        if int(counts.sum()) != state.users:
            raise InputError(f"a state must have {self.shared_out.format(state.users)}, got {counts.sum()}")
        return counts, sums[self.branches :]

    def users_of(self, state: State) -> Floats:
        """Return the number of users of each branch.

        Raises:
            InputError: for a state that is not this oracle's.
            NoAnswerError: for a branch without users, where every branch is needed.
        """
        counts, _ = self.split_state(state)
        if self.needs_every_branch and not counts.all():
            raise self.without_reports(int(np.argmin(counts)), state.users)
        return counts.astype(np.float64)

    def without_reports(self, branch: int, users: float) -> NoAnswerError:
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
        """Check the numbers of users of the branches that variances are computed for; of one number, plan them.

        Raises:
            InputError: for other numbers than one for each branch, above 0 where every branch is needed; and as
                `planned_users`.
        """
        if not isinstance(users, np.ndarray):
            return self.planned_users(users)
        if users.shape == (self.branches,):
            enough = (users > 0).all() if self.needs_every_branch else (users >= 0).all() and users.any()
            if enough:
                return users.astype(np.float64)
        raise InputError(f"users must be {self.branches} numbers above 0, one for each branch, got {users}")
