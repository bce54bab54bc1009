"""Estimate frequencies from collected reports: what the server does."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from mechdesign.errors import InputError
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.marginals_estimate import MarginalsEstimate
from mechdesign_catalog.collection.estimates.mean_estimate import ReportedMean
from mechdesign_catalog.collection.reports.batches import Batch, Collected, as_batches
from mechdesign_catalog.collection.reports.report_files import Header
from mechdesign_catalog.collection.tasks.domains import attributes_of, domain_of
from mechdesign_catalog.datasets.attributes import AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, marginal_oracle_of
from mechdesign_catalog.oracles.mean import MEAN_ORACLES, mean_oracle_of
from mechdesign_catalog.oracles.memory_needs import ESTIMATE_BYTES, require_fit, require_items_fit
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.registry import oracle_of
from mechdesign_catalog.oracles.reports import State


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
    task = common_header(batches).task
    if task.oracle in MEAN_ORACLES:
        if domain is not None:
            raise InputError(f"domain goes with items, got it with {task.oracle}")
        return ReportedMean(mean := mean_oracle_of(task.parameters), add_up(mean, batches, report))
    if task.oracle in MARGINAL_ORACLES:
        tables = marginal_oracle_of(task.parameters)
        attributes = attributes_of(task, domain)
        return MarginalsEstimate(tables, attributes, add_up(tables, batches, report))
    oracle = oracle_of(task.parameters)
    require_fit(oracle)
    require_items_fit(oracle.k, ESTIMATE_BYTES, "estimates")
    items = domain_of(task, domain)
    return FrequencyEstimate.of(oracle, items, add_up(oracle, batches, report), ordered=task.ordered)


def common_header(batches: Sequence[Batch]) -> Header:
    """Return the header that batches of reports share.

    Its seed is that of the first seeded one.

    Raises:
        InputError: for a copy of another one, a batch of a memory that is there twice, several rounds of one memory, or
            reports of different tasks.
    """
    first, *others = batches
    for other in others:
        first.header.task.require_same(other.header.task, first.name, other.name)
    _require_other_users(batches)
    seeds = (batch.header.seed for batch in batches)
    return replace(first.header, seed=next((seed for seed in seeds if seed is not None), None))


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
