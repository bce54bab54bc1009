"""The choice of the oracle to collect with: the best one for the planned queries."""

import math
from collections.abc import Mapping, Sequence

from mechdesign.arguments import checked
from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError, shorten
from mechdesign.methods.row_designs.floor import closed_form_floor
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import PRIVACY_BITS
from mechdesign.rational import Number
from mechdesign.workloads.marginals import Marginals, marginals_on
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.collection.clients.encoders import encoder_for
from mechdesign_catalog.collection.tasks.domains import selected_attributes
from mechdesign_catalog.comparisons.contenders import ROUNDING, contenders, winner_by_law
from mechdesign_catalog.comparisons.marginals_survey import MarginalsStanding, recommendable, survey_marginals
from mechdesign_catalog.comparisons.survey import AS_GOOD, RatedOracle, frugal_best
from mechdesign_catalog.comparisons.workload_survey import RatedForWorkload, WorkloadStanding, require_users_and_memory
from mechdesign_catalog.datasets.attributes import Attributes, AttributesLike
from mechdesign_catalog.datasets.items.domain import DomainLike
from mechdesign_catalog.randomizers.mixture import Mixture
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_catalog.systems.memory_needs import fits
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.systems.tables.registry import is_marginal_oracle

BEST = "best"
"""The word for the oracle that `best_oracle` names."""

RARE = 1e-6
"""The chance that some branch is without a report, and reports without an answer, of an oracle that is chosen."""

USERS = 10_000
"""The number of users for whom an oracle is chosen unless another is announced."""


@checked
def best_oracle(
    workload: str | Workload,
    *,
    alpha: Number | None = None,
    epsilon: Number | None = None,
    k: int | None = None,
    domain: DomainLike | AttributesLike | None = None,
    bins: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    users: int = USERS,
) -> str:
    """Name the oracle with the least variance for a workload, to collect reports with.

    Of all oracles whose mean variance is within 1 % of the least, where all items have equal shares, it is the one with
    the fewest bits; of several, the first in the registry's order. Systems are left out that so few users may leave
    without a report of some level. It depends on the items, epsilon and the announced number of users alone, never on
    values or how many there are, so that all clients choose alike.

    Args:
        workload: the queries that will be asked: `"ranges"`, `"prefixes"`, `"histogram"`, `"marginals:2"`, .., the file
            of one, or a workload.
        alpha: `exp(-epsilon)`, in (0, 1).
        epsilon: the privacy loss of a report, instead of alpha.
        k: the number of items; or `domain` or `bins`, as `privatize` takes them, with `columns` for tables.
        domain: the public list of items, or of attributes with their items.
        bins: bins of numbers or dates.
        columns: the attributes that are collected, of those of the domain.
        users: the announced number of users.

    Raises:
        InputError: for a workload that does not fit the items, or anything but one of k, domain and bins.

    >>> best_oracle("histogram", epsilon=1, k=4), best_oracle("ranges", epsilon=1, k=16)
    ('flat:grr', 'blocks')
    """
    return choose_oracle(stated_workload(workload, k, domain, bins, columns), Privacy(alpha, epsilon), users)


def stated_workload(
    workload: str | Workload,
    k: int | None,
    domain: DomainLike | AttributesLike | None,
    bins: str | Sequence[str] | None,
    columns: Sequence[str] | None,
) -> Workload:
    """State a workload on the items that are collected; errors as `best_oracle`."""
    if isinstance(workload, Workload):
        return workload
    if (given := sum(value is not None for value in (k, domain, bins))) != 1:
        got = "none" if given == 0 else f"{given} of them"
        raise InputError(f"exactly one of domain, bins and k must be given for {shorten(workload)}, got {got}")
    if k is None and workload.strip().lower().startswith("marginals") and bins is None:
        return marginals_on(selected_attributes(domain, columns, workload).sizes, workload)
    if k is None:
        if isinstance(domain, Attributes | Mapping):
            raise InputError(f"domain must be a list of items for {shorten(workload)}, got attributes")
        items = encoder_for(domain, bins, None, False)
        assert items is not None
        k = items.domain.k
    return parse_workload(workload, k)


def choose_oracle(workload: Workload, privacy: Privacy, users: int) -> str:
    """Choose the oracle for a workload, as `best_oracle` says."""
    rated: Sequence[RatedOracle]
    if isinstance(workload, Marginals):
        rated = survey_marginals(workload, privacy, users)
    else:
        require_users_and_memory(workload, users)
        winner = winner_by_law(workload, privacy)
        if winner is not None:
            made = parse_oracle(winner, workload.k, privacy)
            if _hears_of_all(made, users) and fits(made):
                return winner
        rated = contenders(workload, privacy, users, lambda found: _limit(found, users), without=winner)
    if (found := chosen_of(rated, users)) is None:
        raise InputError(f"users must be enough for some oracle to answer {shorten(workload.name)}, got users={users}")
    return found.name


def _limit(rated: Sequence[WorkloadStanding], users: int) -> float:
    """Return the variance above which `warped-blocks`, listed after these, is not chosen; 0 where it is not at all.

    That is so where the one to be chosen of the others is within 1 % of what any oracle has at least, and has no more
    bits.
    """
    able = [one for one in rated if _may_win(one, users) and fits(one.oracle)]
    if not able:
        return math.inf
    first = frugal_best(able)
    workload, privacy = first.workload, first.oracle.privacy
    floor = closed_form_floor(workload, privacy.finer(PRIVACY_BITS).bound_alpha) or 0
    bits = parse_oracle(f"{WarpedBlocks.name}:levels=uniform", workload.k, privacy).bits
    is_sure = first.variance * (1 + ROUNDING) <= AS_GOOD * float(floor) / (users * workload.count)
    return 0.0 if is_sure and first.oracle.bits <= bits else AS_GOOD * min(one.variance for one in able)


def chosen_of(rated: Sequence[RatedOracle], users: int) -> RatedForWorkload | None:
    """Choose among all oracles that were rated for a workload, as `best_oracle` says; None where users are too few."""
    tables = recommendable([one for one in rated if isinstance(one, MarginalsStanding)])
    listed: list[RatedForWorkload] = [one for one in tables if is_marginal_oracle(one.name)]
    others = (one for one in rated if isinstance(one, WorkloadStanding))
    listed += [one for one in others if _may_win(one, users)]
    return frugal_best(listed) if listed else None


def _may_win(one: WorkloadStanding, users: int) -> bool:
    return not one.loses_more and _hears_of_all(one.oracle, users)


def _hears_of_all(oracle: LocalOracle, users: int) -> bool:
    """Tell whether so many users surely report about every branch, where estimates need that."""
    if not (isinstance(oracle, Mixture) and oracle.needs_every_branch):
        return True
    return sum((1 - float(chance)) ** users for chance in oracle.branch_chances) < RARE
