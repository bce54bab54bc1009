"""Frequency oracles: their interface, and the common part of all pure ones.

k items are numbered 0..k-1. Each user has one of them and sends one report; the server adds reports up and estimates
which share of the users has each item.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.sampling import WordSource, system_words
from mechdesign.problem.privacy import Privacy, loss_above
from mechdesign.rational import fraction_text
from mechdesign.workloads.queries import PART_WEIGHTS, LinearQueries, Queries
from mechdesign_catalog.randomizers.facts.costs import cell_seconds
from mechdesign_catalog.randomizers.facts.information import Information, of_law
from mechdesign_catalog.randomizers.facts.liars import AnswerPart, WorstBias
from mechdesign_catalog.randomizers.facts.rates import AnyRates
from mechdesign_catalog.randomizers.facts.sources import Source
from mechdesign_catalog.randomizers.reports.contributions import Contribution
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.ragged import Ragged
from mechdesign_catalog.randomizers.reports.report_schema import ReportSchema
from mechdesign_catalog.randomizers.reports.reports import (
    AnyColumn,
    Column,
    Constants,
    Parameters,
    ReportLaw,
    Reports,
    State,
    require_counts,
    require_same,
)

Values = NDArray[np.int64]
Users = int | Floats
"""All users; or, for an oracle whose users share out over levels, the number in each level, shape (levels,)."""


MAX_LAW = 1 << 16
"""Reports that are enumerated at most; a law is for small domains."""

MAX_ITEMS = 1 << 40

MOST_PAIR_WEIGHTS = 1 << 28
"""Weights of all pairs of queries whose covariance is computed: half a minute for trees."""


class LocalOracle(ABC):
    """A local oracle: its client, and the sums that its server keeps.

    `privacy` is the claim, `alpha` the exact truth: the smallest `Pr[r|v] / Pr[r|w]` over all reports r and values
    v, w, from the probabilities really used.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # the systems are dataclasses

    name: ClassVar[str]
    """The name on the command line."""

    sources: ClassVar[tuple[Source, ...]] = ()
    """The papers that have it, or that name what it is built on; none where it is of this project alone."""

    privacy: Privacy
    """The privacy parameter that the oracle claims."""

    @property
    def parts(self) -> "Sequence[LocalOracle]":
        """The oracles that a report goes through; none for a leaf."""
        return ()

    @property
    def combinator(self) -> str:
        """How a report is made of `parts`; nothing for a leaf, whose report is drawn from its own probabilities."""
        return ""

    @property
    def decoder(self) -> str:
        """What makes unbiased answers of the sums, in a few words: an inverse, tree inference, least squares."""
        return ""

    @property
    def title(self) -> str:
        """The name, with what tells the oracle from others of its kind on a screen or in a picture; here the name."""
        return self.name

    @property
    def is_published(self) -> bool:
        """Whether a paper has it with these options. Otherwise it is of this project."""
        return bool(self.sources)

    @classmethod
    def fields_by_option(cls) -> dict[str, str]:
        """Map what makes an oracle, as texts and files name it, to the fields of the class, in their order.

        A field `in_` is the option `in`: Python, or the class itself, has another use for that name. The field `way`,
        the most attributes of a table, is the option k, as it is published.
        """
        return {"k" if field.name == "way" else field.name.removesuffix("_"): field.name for field in fields(cls)}

    @property
    def parameters(self) -> Parameters:
        """Parameters that make the same oracle again: fields by the names of their options, after its own name."""
        return dict(self._parameters)

    @cached_property
    def _parameters(self) -> Parameters:
        """Compute them once: each state that is read is compared with them."""
        values = {option: getattr(self, field) for option, field in self.fields_by_option().items()}
        return {"oracle": self.name, **{option: parameter_of(value) for option, value in values.items()}}

    @classmethod
    def with_options(cls, inputs: object, privacy: Privacy, options: Mapping[str, Any]) -> Self:
        """Make the oracle for these inputs, a number of items or domains; options that are left out are the usual ones.

        Raises:
            InputError: for an option that it does not have, or another value than the class takes.
        """
        known, make = dict(list(cls.fields_by_option().items())[2:]), cast(Callable[..., Self], cls)
        for option, value in options.items():
            if option not in known:
                has = f"its options are {', '.join(sorted(known))}" if known else "it has no options"
                raise InputError(f"{option} must not be given for {cls.name}, got {option}={value}; {has}")
        return make(inputs, privacy, **{known[option]: value for option, value in options.items()})

    @classmethod
    def of_parameters(cls, parameters: Parameters) -> Self:
        """Make the oracle that has these parameters.

        Raises:
            InputError: for others than it writes.
        """
        values, known = {**parameters}, cls.fields_by_option()
        values.pop("oracle", None)
        if set(values) != set(known):
            raise InputError(f"parameters of {cls.name} must be {', '.join(sorted(known))}, got {', '.join(values)}")
        make = cast(Callable[..., Self], cls)
        oracle = make(**{known[option]: cls.parsed(option, value) for option, value in values.items()})
        if oracle.parameters != parameters:
            raise InputError(f"parameters of {cls.name} must be those that it writes, got {shorten(parameters)}")
        return oracle

    @classmethod
    def parsed(cls, option: str, value: str | int) -> Any:
        """Parse a parameter as headers have it, where the class itself does not take it so."""
        return Privacy.parse(value) if option == "privacy" else value

    @abstractmethod
    def checked(self, values: Values) -> Values:
        """Check what users have: one item, or one of each attribute.

        Raises:
            InputError: naming the first row that is wrong, not its value, which is private.
        """

    @property
    @abstractmethod
    def report_schema(self) -> ReportSchema:
        """The columns of its reports, as they travel."""

    @property
    @abstractmethod
    def contribution(self) -> Contribution:
        """What each user adds to the sums of a state."""

    @property
    @abstractmethod
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used."""

    @property
    def constants(self) -> Constants:
        """All that a client and a server compute with, so that nobody needs a logarithm or a root; alpha is exact."""
        return {"alpha": fraction_text(self.alpha), **self.own_constants()}

    @abstractmethod
    def own_constants(self) -> Constants:
        """State what a client and a server compute with beside alpha."""

    @abstractmethod
    def honest_rates(self, state: State) -> Iterator[AnyRates]:
        """Yield between which rates the counts of a state lie, if its users are honest (`rates`)."""

    @abstractmethod
    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each user, a row of `values`. Operating-system randomness unless `words` is given."""

    @abstractmethod
    def aggregate(self, reports: Reports) -> State:
        """Add up these reports."""

    @property
    @abstractmethod
    def row_bytes(self) -> int:
        """Bytes that one report takes while it is made or read."""

    @property
    def server_bytes(self) -> int:
        """Bytes that the server takes, however many users there are: its sums, if the system says no more."""
        return 8 * self.contribution.length

    @property
    @abstractmethod
    def time_class(self) -> str:
        """How time grows, client and server: `N + k`, `N k`."""

    @property
    def adding_seconds(self) -> float:
        """Seconds of one core to add one report to the sums, on paper (`costs`): to one of them, if no more is said."""
        return cell_seconds(self.contribution.length)

    @abstractmethod
    def report_law(self) -> ReportLaw:
        """List every report's exact probability for every input; where there are few."""

    @property
    def bits(self) -> float:
        """Bits that one report costs to send at most: those of its columns."""
        return self.report_schema.bits

    @property
    def mean_bits(self) -> float:
        """Bits that one report costs to send on average: the same for each, unless the system says otherwise."""
        return self.bits

    @abstractmethod
    def information(self) -> Information:
        """Compute the information of a report where all inputs are as frequent (`information`).

        Raises:
            InputError: where there are too many reports.
        """

    @abstractmethod
    def worst_bias(self, liars: Fraction) -> WorstBias | None:
        """Compute the largest bias that a fraction of liars gives an item's estimated share (`liars`).

        Of a mean: in its unit. Of several attributes: of a cell of a raw table of `way` attributes. None where it takes
        too long.
        """

    @property
    def message_bytes(self) -> float:
        """Bytes of one message, on average."""
        return self.report_schema.width

    @property
    def transform_size(self) -> int:
        """Number K of cells that estimates are transformed from, in `K log2 K` steps."""
        return self.contribution.length

    @property
    def transforms_each_group(self) -> bool:
        """Whether each group of rows of a file is transformed by itself, before it is added up: no."""
        return False

    def reports_of(self, *columns: AnyColumn) -> Reports:
        """Make reports of these columns, in the order and the types of the wire."""
        return self.report_schema.reports(self.parameters, *columns)

    def columns_of(self, reports: Reports) -> list[Column]:
        """Return the columns of reports that this oracle made, where all are arrays, each number in its range.

        Raises:
            InputError: for reports of another oracle, of other parameters or columns, or outside the report space.
        """
        return [
            column for column in self.report_schema.checked(reports, self.parameters) if not isinstance(column, Ragged)
        ]

    def sums_in(self, state: State) -> Values:
        """Return the sums of a state, if they are as many as each user adds to.

        Raises:
            InputError: for any other number of them.
        """
        length = self.contribution.length
        if state.sums.shape != (length,):
            raise InputError(f"a state must have {length} sum{'s' * (length > 1)}, got shape {state.sums.shape}")
        return state.sums

    def checked_state(self, state: State) -> State:
        """Check that a state is of this oracle, with its number of sums and at least one user."""
        require_same(self.parameters, state.parameters, "a state")
        if state.users < 1:
            raise InputError("a state must have at least one user, got none")
        self.sums_in(state)
        return state

    def counts_in(self, state: State) -> Values:
        """Return the sums of a state, where each counts some of its users.

        Raises:
            InputError: for a state that is not this oracle's, or whose sums no reports add up to.
        """
        return require_counts(self.checked_state(state).sums, state.users)

    def users_of(self, state: State) -> Users:
        """Return what variances are computed for: how many users a state is of, or that of each branch.

        Raises:
            NoAnswerError: where a branch that every estimate needs has no user.
        """
        return self.checked_state(state).users


class Leaf(LocalOracle):
    """An oracle whose reports are drawn from its own probabilities, as columns of numbers or bits."""

    def privatize(self, values: Values, words: WordSource | None = None) -> Reports:
        """Make one report for each user, a row of `values`; errors as `checked`."""
        return self.reports_of(*self.draw_columns(self.checked(values), words or system_words))

    @abstractmethod
    def draw_columns(self, values: Values, words: WordSource) -> Sequence[Column]:
        """Draw the columns of one report for each row of `values`, which are checked."""

    def aggregate(self, reports: Reports) -> State:
        """Add up these reports; errors as `columns_of`."""
        return State(self.parameters, len(reports), self.sums_of(self.columns_of(reports)))

    @abstractmethod
    def sums_of(self, columns: Sequence[Column]) -> Values:
        """Add up reports whose columns are checked."""


class SpendsClaim(LocalOracle):
    """An oracle whose probabilities spend the whole claim, whatever its options are: they are made of its alpha."""

    @property
    def alpha(self) -> Fraction:
        """Exact alpha of the probabilities really used: that of the claim."""
        return self.privacy.alpha


@dataclass(frozen=True)
class OracleBase(LocalOracle):
    """The fields that all oracles have, checked; the fields of a subclass are its options.

    Raises:
        InputError: for less than two items, or a privacy parameter that is none.
    """

    k: int
    privacy: Privacy

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 2 <= self.k <= MAX_ITEMS:
            raise InputError(f"k must be a whole number from 2 to 2^40, got k={self.k}")
        checked_privacy(self.privacy)

    @property
    def constants_as_part(self) -> Constants:
        """The name, the number of items and the constants, as a system states the oracle of one of its parts."""
        return {"oracle": self.name, "k": self.k, **self.constants}

    def checked(self, values: Values) -> Values:
        """Check items of users, each in 0..k-1.

        Raises:
            InputError: naming the first row that is not, not its value, which is private.
        """
        values = np.asarray(values)
        if values.ndim != 1 or values.dtype.kind not in "iu":
            raise InputError(f"values must be a vector of whole numbers, got {values.dtype}, {values.ndim} dimensions")
        outside = (values < 0) | (values >= self.k)
        if outside.any():
            raise InputError(f"values must be in 0..{self.k - 1}, got another in row {int(np.argmax(outside)) + 1}")
        return values.astype(np.int64, copy=False)

    def information(self) -> Information:
        """Compute the information of a report on k equally frequent items.

        >>> from mechdesign_catalog.systems.registry import make_oracle
        >>> make_oracle("grr", 3, Privacy(alpha="1/4")).information().matrix.round(6).tolist()
        [[1.5, 0.75, 0.75], [0.75, 1.5, 0.75], [0.75, 0.75, 1.5]]
        """
        return Information(self.information_at(np.ones(self.k, dtype=np.int64)), self.information_is_exact)

    def information_at(self, counts: Values) -> Floats:
        """Compute the information where items have shares in proportion to whole numbers, 0 for some of them.

        Raises:
            InputError: where there are too many reports to be listed.
        """
        return of_law(self.report_law(), counts)

    @property
    def information_is_exact(self) -> bool:
        """Whether it is that of the reports as they are sent: yes. Else their hashes are taken to be fully random."""
        return True


def checked_privacy(privacy: object) -> Privacy:
    """Return the privacy parameter that an oracle is made for.

    Raises:
        InputError: for anything else, such as a bare number, which could be alpha or epsilon.
    """
    if not isinstance(privacy, Privacy):
        raise InputError(f"privacy must be Privacy(alpha=...) or Privacy(epsilon=...), got {shorten(privacy)}")
    return privacy


def parameter_of(value: Any) -> str | int:
    """Write a field as headers have it: 3/10, alpha=1/2, epsilon=1, and lists as 2,3."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, Fraction):
        return fraction_text(value)
    found: str | int = str(value) if isinstance(value, Privacy) else value
    return found


class FrequencyOracle(OracleBase):
    """A local oracle whose server estimates which share of the users has each item.

    Unless it says otherwise its claim is tight, its sums have no simple law, and answers to queries add up the items'
    estimates.
    """

    @property
    def spends_whole_epsilon(self) -> bool:
        """Whether `alpha` is that of the claim, but for rounding: yes. Else less is spent than claimed."""
        return True

    @property
    def can_simulate_sums(self) -> bool:
        """Whether the server's sums have a law that can be drawn at once, instead of every user's report: no."""
        return False

    @property
    def answers_add_up(self) -> bool:
        """Whether every answer is the sum of the estimated shares of its items: yes."""
        return True

    @property
    def most_told(self) -> int | None:
        """How many standard errors are told at once; of more answers all are NaN. None: of any number they are."""
        return None

    def solution_errors(self, state: State, queries: Queries) -> Floats:
        """Bound by how much answers differ from their formula's, where equations are solved step by step; else 0."""
        return np.zeros(len(queries))

    @property
    def ignores_total(self) -> bool:
        """Whether answers leave out that all shares add up to one: no."""
        return False

    @property
    def transform_size(self) -> int:
        """Number of items."""
        return self.k

    def simulate_sums(self, counts: Values, generator: np.random.Generator) -> State:
        """Draw the server's state where `counts[v]` users have the item v, from that law; for simulation only.

        Chances are rounded to floats: a shift of 1e-16 of the users at most, far below the noise of any number of them.

        Raises:
            InputError: where the sums have no law that can be drawn, as `require_sums_law` says.
        """
        raise refused_simulation(self.name)

    @abstractmethod
    def estimate(self, state: State) -> Floats:
        """Estimate the share of the users for each item, shape (k,), unbiased.

        It may be below 0 or above 1, and need not sum to 1.
        """

    @abstractmethod
    def variance(self, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each item's estimate, where `frequencies` (shape (k,)) are the true shares."""

    @abstractmethod
    def estimated_variance(self, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance where the true shares are not known, from unclipped estimates, shape (k,); above 0."""

    @abstractmethod
    def approximate_variance(self, users: int) -> float:
        """Compute the variance of a rare item.

        Where the shares of the others matter, it is an upper bound over them, or the mean.
        """

    @abstractmethod
    def answer_variance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact variance of each answer, where `frequencies` (shape (k,)) are the true shares.

        The users' items are fixed. Where users share out over levels and `users` is one number n, level l is taken to
        have exactly `n p_l` of them.
        """

    @abstractmethod
    def estimated_answer_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the variance of each answer from unclipped estimates of the shares, shape (k,).

        It is never below the least that some shares have: above 0, but for an answer that no report can change.
        """

    def unbounded_variance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Compute the formula of `answer_variance` at estimates of the shares, which are anything.

        It is a quadratic form in the weights, and not brought to what variances can be.
        """
        return self.answer_variance(queries, estimates, users)

    def answer_covariance(self, queries: Queries, frequencies: Floats, users: Users) -> Floats:
        """Compute the exact covariance of the answers at the true shares, shape (q, q), as `answer_variance`.

        Raises:
            InputError: as `require_sums` and `require_few_pairs`.
        """
        self.require_sums()
        return covariance_of_pairs(lambda asked: self.answer_variance(asked, frequencies, users), queries)

    def estimated_answer_covariance(self, queries: Queries, estimates: Floats, users: Users) -> Floats:
        """Estimate the covariance of the answers by its exact formula at unclipped estimates of the shares.

        Raises:
            InputError: as `answer_covariance`.
        """
        self.require_sums()
        return covariance_of_pairs(lambda asked: self.unbounded_variance(asked, estimates, users), queries)

    def answers(self, state: State, queries: Queries) -> Floats:
        """Estimate the answers `sum_v w_v f_v` of linear queries on the shares f, shape (q,), unbiased."""
        self.require_own(queries)
        return queries.apply(self.estimate(state))

    def answer_parts(self, queries: Queries) -> Sequence[AnswerPart]:
        """Return the one part of the answers: all users are at one branch."""
        weights = queries.weights()
        return (AnswerPart(Fraction(1), self, weights, weights),)

    @property
    @abstractmethod
    def score_is_reached(self) -> bool:
        """Whether a report has the score of `highest_scores`; else that is an upper bound."""

    @abstractmethod
    def highest_scores(self, weights: Floats) -> Floats:
        """Compute the largest `sum_v u_v y_v(r)` over all reports r, or an upper bound; weights have shape (q, k)."""

    @property
    def n_estimates(self) -> int:
        """How many numbers `estimate` has: one for each item."""
        return self.k

    def mean_scores(self, weights: Floats) -> Floats:
        """Return the mean of `sum_v u_v y_v` for a user of each item: the own weight."""
        return weights

    def require_sums(self) -> None:
        """Refuse an oracle whose answers are no sums of its items' estimates.

        Raises:
            InputError: naming it.
        """
        if not self.answers_add_up:
            raise InputError(f"answers must be sums of items' estimates, got others of {self.name}; take estimate=ci")

    def require_own(self, queries: Queries) -> None:
        """Refuse queries on another number of items.

        Raises:
            InputError: with both numbers.
        """
        if queries.k != self.k:
            raise InputError(f"queries must be on the {self.k} items of the oracle, got queries on {queries.k}")


@runtime_checkable
class HasPublicSeed(Protocol):
    """An oracle with public randomness that everyone shares, and over which its mean and variance are meant."""

    @property
    def public_draws(self) -> int:
        """How many draws of the public randomness there are; all are as likely."""

    @property
    def public_draw(self) -> bytes:
        """The public randomness itself: what tells one draw from another."""

    def redrawn(self, seed: int) -> FrequencyOracle:
        """Return the oracle with other public randomness."""


def require_sums_law(oracle: FrequencyOracle) -> None:
    """Refuse an oracle whose sums must be added up from reports, since they are neither binomial nor multinomial.

    Raises:
        InputError: naming it.
    """
    if not oracle.can_simulate_sums:
        raise refused_simulation(oracle.name)


def refused_simulation(name: str) -> InputError:
    """Make the error for an oracle whose sums must be added up from reports."""
    return InputError(f"simulate must be reports for {name}, whose sums have no simple law, got aggregate")


def all_users(users: Users) -> int:
    """Return the number of users of an oracle without levels.

    Raises:
        InputError: for less than one user, or a number for each of several levels.
    """
    if isinstance(users, np.ndarray):
        raise InputError(f"users must be one number for an oracle without levels, got {len(users)} numbers")
    if not users >= 1:
        raise InputError(f"users must be at least 1, got {users}")
    return users


def require_few(reports: int, name: str) -> None:
    """Refuse a law of too many reports: it is listed report by report.

    Raises:
        InputError: for more than `MAX_LAW`.
    """
    if reports > MAX_LAW:
        raise InputError(
            f"the law of {name} must have at most {MAX_LAW} reports to be listed, got more; take a smaller k"
        )


def covariance_of_pairs(variance: Callable[[Queries], Floats], queries: Queries) -> Floats:
    """Compute a covariance from variances alone: `Var(a + b) = Var(a) + Var(b) + 2 Cov(a, b)`; shape (q, q).

    Raises:
        InputError: as `require_few_pairs`.
    """
    require_few_pairs(len(queries), queries.k)
    weights = queries.weights()
    own = variance(LinearQueries(weights))
    found, (first, second) = np.diag(own), np.triu_indices(len(own), 1)
    step = max(1, PART_WEIGHTS // queries.k)
    for start in range(0, len(first), step):
        i, j = first[start : start + step], second[start : start + step]
        found[i, j] = found[j, i] = (variance(LinearQueries(weights[i] + weights[j])) - own[i] - own[j]) / 2
    return found


def require_few_pairs(count: int, k: int) -> None:
    """Refuse a covariance of so many queries that their pairs would take too long.

    Raises:
        InputError: for more than `MOST_PAIR_WEIGHTS` weights of all pairs.
    """
    most = (math.isqrt(1 + 8 * (MOST_PAIR_WEIGHTS // k)) - 1) // 2
    if count > most:
        raise InputError(f"covariances must be of at most {most:,} answers at a time on {k:,} items, got {count:,}")


def actual_epsilon(oracle: LocalOracle) -> float:
    """Return the privacy loss of the probabilities really used, `-ln alpha`, never below the truth."""
    return loss_above(oracle.alpha)
