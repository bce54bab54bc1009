"""State what an oracle for marginal tables does: its client, its server, and the exact variance of what it estimates.

Users have one item of each of d attributes. Each sends one report; the server estimates the marginal tables of up to
`way` attributes at a time, without bias.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from mechdesign.mechanism.sampling import WordSource
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.multidimensional.tables import Domains, Shares, Subset
from mechdesign_catalog.oracles.contributions import Contribution
from mechdesign_catalog.oracles.information import Information
from mechdesign_catalog.oracles.liars import WorstBias
from mechdesign_catalog.oracles.oracle import Users, Values
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.rates import AnyRates
from mechdesign_catalog.oracles.reports import Constants, Parameters, ReportLaw, Reports, State
from mechdesign_catalog.oracles.wire import Wire


class LinearEstimator(Protocol):
    """A way to estimate tables that is linear in the server's sums, and unbiased."""

    def estimate(self, state: State, subsets: Sequence[Subset]) -> list[Floats]:
        """Estimate the shares of each table's cells, shape (cells,) each; they may be below 0, or above 1.

        Raises:
            NoAnswerError: for a table that needs a branch without users.
        """

    def covariance(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the exact covariance of a table's cells, shape (cells, cells), at these true shares.

        The users' tuples are fixed. `users` is what `users_of` says of a state, or `planned_users`.
        """

    def variances(self, subset: Subset, shares: Shares, users: Users) -> Floats:
        """Compute the diagonal of the covariance, shape (cells,)."""

    def least_variances(self, subset: Subset, users: Users) -> Floats:
        """Compute values above 0 that the variances do not go below, whatever the shares are, shape (cells,)."""


class MarginalOracle(Protocol):
    """An oracle for users with several attributes, whose server estimates marginal tables."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def title(self) -> str:
        """The name, with what tells the oracle from others of its kind on a screen or in a picture."""

    @property
    def is_published(self) -> bool:
        """Whether a paper has it with these options; otherwise it is of this project."""

    @property
    def domains(self) -> Domains:
        """Number of items of each attribute."""

    @property
    def way(self) -> int:
        """The most attributes of a table that can be estimated; the option k."""

    def kind_of_table(self, subset: Subset) -> object:
        """Return what tables have in common whose variances are the same at equal shares."""

    @property
    def privacy(self) -> Privacy:
        """The privacy parameter that the oracle claims."""

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used, over any two tuples."""

    @property
    def parameters(self) -> Parameters:
        """Parameters that make the same oracle again."""

    @property
    def wire(self) -> Wire:
        """The columns of its reports, as they travel."""

    @property
    def contribution(self) -> Contribution:
        """What each user adds to the sums of a state."""

    @property
    def constants(self) -> Constants:
        """All that a client and a server compute with; alpha is exact."""

    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield between which rates the counts of a state lie, if its users are honest."""

    def information(self) -> Information:
        """Compute the information of a report where all inputs are as frequent."""

    def worst_bias(self, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias that a fraction of liars gives an estimated share; None where it takes too long."""

    @property
    def bits(self) -> float:
        """Bits that one report costs to send at most."""

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send on average."""

    @property
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper."""

    @property
    def message_bytes(self) -> float:
        """Bytes of one message, on average."""

    @property
    def transform_size(self) -> int:
        """Number of cells that estimates are transformed from."""

    @property
    def transforms_each_group(self) -> bool:
        """Whether each group of rows of a file is transformed by itself, before it is added up."""

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are."""

    @property
    def time_class(self) -> str:
        """How time grows, client and server, as `N d + T`."""

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each row of `values`, shape (users, d). Operating-system randomness unless `words`."""

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports."""

    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every tuple, the last attribute changing fastest; if small."""

    def users_of(self, state: State) -> Users:
        """Return how many users a state is of: their number, or that in each branch that users share out over.

        Raises:
            NoAnswerError: where a branch that every table needs has no user.
        """

    def planned_users(self, users: int) -> Users:
        """Return what `users_of` says on average where there are so many users, as real numbers."""

    @property
    def raw(self) -> LinearEstimator:
        """The estimates as the system was published, each table by itself."""

    @property
    def least_squares(self) -> LinearEstimator:
        """Estimates by which all tables agree: totals are 1, and tables that overlap say the same of their overlap."""

    def draw_state(self, values: Values, generator: np.random.Generator) -> State:
        """Draw the server's state for these users at once, from the law of its sums; for simulation only."""
