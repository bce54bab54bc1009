"""Estimate frequencies from collected reports: what the server does."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mechdesign.errors import InputError
from mechdesign.workloads.queries import Intervals, Queries
from mechdesign_catalog.collection.answering import AnswerEstimate
from mechdesign_catalog.collection.attribute_encoder import asked_attributes
from mechdesign_catalog.collection.batches import Batch, Collected, as_batches
from mechdesign_catalog.collection.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.report_files import Header
from mechdesign_catalog.datasets.attributes import Attributes, AttributesLike, listed_names
from mechdesign_catalog.datasets.items.bins import ItemDomain, parse_grid
from mechdesign_catalog.datasets.items.domain import Domain, DomainLike, as_domain
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, marginal_oracle_of
from mechdesign_catalog.oracles.intervals import normal_intervals
from mechdesign_catalog.oracles.mean import MEAN_ORACLES, MeanOracle, mean_interval, mean_oracle_of
from mechdesign_catalog.oracles.memory_needs import CELL_BYTES, ESTIMATE_BYTES, require_fit, require_items_fit
from mechdesign_catalog.oracles.oracle import FrequencyOracle, LocalOracle
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.registry import oracle_of
from mechdesign_catalog.oracles.reports import State, require_same


@dataclass(frozen=True, eq=False)
class FrequencyEstimate:
    """Hold the estimated share of the users for each item, with its standard error; shape (k,) each.

    `state` are the sums of all reports, from which queries are answered. `ordered` says that the order of the items
    means something.

    `estimates` are unbiased, and standard errors and intervals are theirs; `frequencies` are what is told: the same,
    unless `post`, a post-processing, made others of them.
    """

    oracle: FrequencyOracle
    domain: ItemDomain
    state: State
    estimates: Floats
    standard_errors: Floats
    frequencies: Floats
    post: str = "base"
    ordered: bool = False

    @classmethod
    def of(
        cls, oracle: FrequencyOracle, domain: ItemDomain, state: State, *, ordered: bool = False
    ) -> "FrequencyEstimate":
        """Estimate from the server's sums; `domain` has the oracle's k items, and `ordered` says they are in order."""
        estimates = oracle.estimate(state)
        errors = np.sqrt(oracle.estimated_variance(estimates, oracle.users_of(state)))
        return cls(oracle, domain, state, estimates, errors, estimates, ordered=ordered)

    @property
    def users(self) -> int:
        """Number of users."""
        return self.state.users

    @property
    def items(self) -> Sequence[str]:
        """The names of the items."""
        return self.domain.items

    def processed(self, post: str, frequencies: Floats) -> "FrequencyEstimate":
        """Replace the frequencies by those of the post-processing of that name; estimates stay."""
        return replace(self, post=post, frequencies=frequencies)

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals for each item by itself, around the unbiased estimates."""
        return normal_intervals(self.estimates, self.standard_errors, level)

    def simultaneous_intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return wider intervals, which hold the true shares of all items at once with chance `level`.

        Of 500 intervals for each item by itself 25 miss at 95 %: among the largest estimates are those that noise made
        large. These are for looking at all items and picking some.
        """
        return normal_intervals(self.estimates, self.standard_errors, level, together=len(self.items))

    def answers(self, queries: Queries, level: float = 0.95) -> AnswerEstimate:
        """Answer linear queries on the true shares, such as ranges of items, without bias.

        Standard errors come from the exact variance at the unclipped estimates of the shares.

        Raises:
            InputError: for queries on another number of items, or a level that is not in (0, 1).
        """
        shares = self.oracle.answers(self.state, queries)
        users = self.oracle.users_of(self.state)
        variances = self.oracle.estimated_answer_variance(queries, self.estimates, users)
        return AnswerEstimate.of(shares, np.sqrt(variances), level)

    def cumulative(self, level: float = 0.95) -> AnswerEstimate:
        """Estimate for each item the share of the users who have it or one before it, shape (k,).

        Estimates are unbiased, so they need not rise, and the last one need not be 1.
        """
        last = np.arange(self.oracle.k)
        return self.answers(Intervals(self.oracle.k, np.zeros_like(last), last), level)

    def above_noise(self, level: float = 0.95) -> list[int]:
        """Find the items whose simultaneous interval is above 0, the largest first.

        With chance `level` at least, some user has every one of them.
        """
        low, _ = self.simultaneous_intervals(level)
        return [item for item in largest(self.estimates, len(low)) if low[item] > 0]

    def columns(self, level: float = 0.95) -> dict[str, Sequence[str] | list[float]]:
        """Return what is known of each item, in columns.

        `item`, `frequency` (post-processed as `post` says), and of the unbiased `estimate` its `standard_error`, `low`
        and `high` for the item by itself, `low_all` and `high_all` for all items together. Items in order have
        `cumulative` and `cumulative_standard_error` as well, unbiased shares of the item and all before it.

        Raises:
            InputError: for more items than a table of them fits the memory.
        """
        require_items_fit(self.oracle.k, CELL_BYTES, "a table")
        numbers = {
            "frequency": self.frequencies,
            "standard_error": self.standard_errors,
            "estimate": self.estimates,
            **dict(zip(("low", "high"), self.intervals(level), strict=True)),
            **dict(zip(("low_all", "high_all"), self.simultaneous_intervals(level), strict=True)),
        }
        if self.ordered:
            prefixes = self.cumulative(level)
            numbers |= {"cumulative": prefixes.shares, "cumulative_standard_error": prefixes.standard_errors}
        return {"item": self.items, **{name: column.tolist() for name, column in numbers.items()}}

    def csv_bytes(self, level: float = 0.95) -> bytes:
        """Write `columns`, then confidence and post; floats are the shortest decimals that read back the same."""
        stream = io.StringIO()
        columns = self.columns(level)
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow((*columns, "confidence", "post"))
        writer.writerows((*row, level, self.post) for row in zip(*columns.values(), strict=True))
        return stream.getvalue().encode()


def aggregate(
    reports: Collected | Iterable[Collected],
    *,
    domain: DomainLike | AttributesLike | None = None,
    report: Callable[[int], None] = lambda users: None,
) -> "FrequencyEstimate | ReportedMean | MarginalsEstimate":
    """Estimate which share of the users has each item (or the mean of their numbers) from their reports.

    Estimates are unbiased: they may be below 0 and need not sum to 1; `postprocess` makes others of them. Of users with
    several attributes the marginal tables are estimated.

    Args:
        reports: files of reports, or what `privatize` returned; one or several, of one oracle and domain.
        domain: the items (a file, or a list), or the attributes, where they are too many to travel with the reports.
        report: told how many reports were read so far.

    Raises:
        InputError: for reports that do not belong together or stand there twice, damaged files, or another domain.
    """
    batches = as_batches(reports)
    header = common_header(batches)
    if header.parameters.get("oracle") in MEAN_ORACLES:
        if domain is not None:
            raise InputError(f"domain goes with items, got it with {header.parameters['oracle']}")
        return ReportedMean(mean := mean_oracle_of(header.parameters), add_up(mean, batches, report))
    if header.parameters.get("oracle") in MARGINAL_ORACLES:
        tables = marginal_oracle_of(header.parameters)
        attributes = attributes_of(header, domain)
        return MarginalsEstimate(tables, attributes, add_up(tables, batches, report))
    oracle = oracle_of(header.parameters)
    require_fit(oracle)
    require_items_fit(oracle.k, ESTIMATE_BYTES, "estimates")
    items = domain_of(header, domain)
    if items.k != oracle.k:
        raise InputError(f"the domain must have the oracle's {oracle.k} items, got {items.k} in {batches[0].name}")
    return FrequencyEstimate.of(oracle, items, add_up(oracle, batches, report), ordered=header.ordered)


def domain_of(header: Header, domain: DomainLike | AttributesLike | None = None) -> ItemDomain:
    """Return the domain: bins or items from the reports, or the list of items that they were made with.

    Raises:
        InputError: for items that are too many to be in the files and not given, or another domain.
    """
    if domain is None:
        if header.bins:
            return parse_grid(header.bins)
        if header.items is None:
            raise InputError("domain must be given for a domain that is too large to be in the files, got none")
        return Domain(header.items)
    if isinstance(domain, Attributes | Mapping):
        raise InputError("domain must be a list of items, got attributes")
    found = as_domain(domain)
    if found.digest != header.domain_digest:
        where = f" in {domain}" if isinstance(domain, str | Path) else ""
        raise InputError(f"domain must be the one that the reports were made with, got another{where}")
    return found


def attributes_of(header: Header, domain: object = None) -> Attributes:
    """Return the attributes from the reports, or those of their names in what is given, if they have the same items.

    Raises:
        InputError: for attributes that are too many to be in the files and not given, or others.
    """
    if domain is None:
        if header.attributes is None:
            raise InputError("domain must be given for attributes that are too large to be in the files, got none")
        found = header.attributes
    else:
        found = asked_attributes(domain, header.columns, str(header.parameters["oracle"]))
        if found.digest != header.domain_digest:
            where = f" in {domain}" if isinstance(domain, str | Path) else ""
            raise InputError(f"domain must have the attributes that the reports were made with, got others{where}")
    if ",".join(map(str, found.sizes)) != header.parameters.get("domains"):
        raise InputError(f"attributes must have the oracle's {header.parameters.get('domains')} items, got others")
    return found


def common_header(batches: Sequence[Batch]) -> Header:
    """Return the header that batches of reports share.

    Its seed is that of the first seeded one; items are in order where all say so.

    Raises:
        InputError: for a copy of another one, a batch of a memory that is there twice, several rounds of one memory, or
            reports of different oracles, parameters or domains.
    """
    first, *others = batches
    for other in others:
        require_same(first.header.parameters, other.header.parameters, f"reports in {other.name}")
        if other.header.domain_digest != first.header.domain_digest:
            if first.header.columns and other.header.columns:
                ours, theirs = (listed_names(batch.header.columns) for batch in (first, other))
                raise InputError(
                    f"reports must be about the same attributes in one order, got {theirs} in {other.name} and "
                    f"{ours} in {first.name}, or other items"
                )
            raise InputError(f"reports must be about one domain, got another one in {other.name} than in {first.name}")
    _require_other_users(batches)
    seeds = (batch.header.seed for batch in batches)
    ordered = all(batch.header.ordered for batch in batches)
    return replace(first.header, ordered=ordered, seed=next((seed for seed in seeds if seed is not None), None))


def _require_other_users(batches: Sequence[Batch]) -> None:
    """Refuse to count users twice, else standard errors are too small: no copies, and of a memory one round only.

    Equal digests alone are no copy: a few reports of two groups can be the same by chance. Batches of one round have
    different users, which the memory has seen to; the same batch may have been written twice, in another order.
    """
    contents: dict[tuple[str, str], Batch] = {}
    answered: dict[tuple[str, str], Batch] = {}
    memories: dict[str, Batch] = {}
    for batch in batches:
        header = batch.header
        earlier = contents.setdefault((header.identity, header.reports_digest), batch)
        if earlier is not batch or batches.count(batch) > 1:
            raise InputError(
                f"each report must be given once, got {batch.name}, which holds the same reports as {earlier.name}"
            )
        if not header.memory:
            continue
        if (earlier := answered.setdefault((header.memory, header.identity), batch)) is not batch:
            raise InputError(
                f"each batch must be given once, got {batch.name}, which has the users of {earlier.name} in the same "
                f"round {header.round}; leave one of them out"
            )
        first = memories.setdefault(header.memory, batch)
        if first.header.round != header.round:
            raise InputError(
                f"rounds of one memory are reports of the same users, got round {header.round} in {batch.name} beside "
                f"round {first.header.round} in {first.name}; estimate each round by itself"
            )


def add_up(oracle: LocalOracle, batches: Sequence[Batch], report: Callable[[int], None] = lambda users: None) -> State:
    """Add up all reports; `report` is told how many were read so far.

    Raises:
        InputError: for a damaged file, no reports at all, or reports that the oracle cannot have made.
    """
    state: State | None = None
    for batch in batches:
        start = 0
        for reports in batch.pieces():
            try:
                part = oracle.aggregate(reports)
            except InputError as error:
                after = f", counted from row {start + 1} on" if start else ""
                raise InputError(f"{error} of {batch.name}{after}") from None
            start += len(reports)
            state = part if state is None else state.merge(part)
            report(state.users)
    if state is None:
        raise InputError(f"reports must be at least one, got none in {batches[0].name}")
    return state


@dataclass(frozen=True)
class ReportedMean:
    """Hold the estimated mean of the users' numbers, with its standard error."""

    oracle: MeanOracle
    state: State

    @property
    def mean(self) -> float:
        """Estimated mean of the users' numbers."""
        return self.oracle.estimate(self.state)

    @property
    def standard_error(self) -> float:
        """Standard error of the estimated mean."""
        return self.oracle.standard_error(self.state)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval of the mean; see `mean_interval`."""
        return mean_interval(self.oracle, self.state, level)

    def csv_bytes(self) -> bytes:
        """Write columns mean, standard_error, and one row."""
        return f"mean,standard_error\n{self.mean!r},{self.standard_error!r}\n".encode()


def largest(frequencies: Floats, count: int) -> list[int]:
    """Find the items with the largest frequencies, the largest first; of equal ones the first."""
    return [int(item) for item in np.argsort(-frequencies, kind="stable")[:count]]
