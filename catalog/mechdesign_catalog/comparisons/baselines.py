"""Oracles as baselines for a workload, each with its best linear estimates.

They are rated as designs are.
"""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.least_variance import LinearEstimates
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.marginals_survey import SERVED, marginal_oracles
from mechdesign_catalog.comparisons.workload_survey import systems, weighed
from mechdesign_catalog.randomizers.facts.information import Information
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.flat.subset import MEAN
from mechdesign_catalog.systems.registry import FLAT, parse_oracle

MOST_ITEMS = 1 << 10
"""Items up to which matrices of information are formed and factored: a minute for all oracles."""

SKETCHES = ("hcms", "inphtcms")
"""Those that are left out: their reports are too many, and depend on a public seed."""

IN_LEVELS = ("hrr", "olh", "ss-hrr")
"""Oracles of the levels of trees beside the usual ones."""


@dataclass(frozen=True)
class BaselineStanding:
    """The standing of an oracle for a workload, with its best linear estimates.

    `name` is what it is asked for by.

    Attributes:
        variance: for one user, summed over all queries, at equally frequent items: what a design has as `variance`.
        bits: what a report costs to send.
        is_published: whether a paper has the oracle with these options.
        is_exact: whether it is that of the reports as they are sent; else hashes are taken to be fully random.
    """

    name: str
    variance: float
    bits: float
    is_published: bool
    is_exact: bool = True


Told = tuple[str, LocalOracle, Information]
"""The name of an oracle, the oracle, and what its reports tell."""


def rank_baselines(workload: Workload, privacy: Privacy) -> list[BaselineStanding]:
    """List where each oracle stands for a workload with its best linear estimates, the least variance first.

    These are weighted least squares of the full reports for equally frequent items, so no variance here is above that
    of the oracle's own estimates, on average over queries and items. Trees are listed with each oracle of levels, and
    with levels weighed for a workload that has a name for it; for marginal tables the oracles on several attributes.

    Returns:
        A row for each oracle that tells all queries. Sketches are left out, and what needs too long a list of reports.

    Raises:
        InputError: for more than 1024 items.

    >>> from mechdesign.workloads.ordered import Prefixes
    >>> places = rank_baselines(Prefixes(8), Privacy(epsilon=1))
    >>> places[0].name, places[0].variance < 0.9 * next(p.variance for p in places if p.name == "flat:ss")
    ('warped-blocks', True)
    """
    if workload.k > MOST_ITEMS:
        raise InputError(f"k must be at most {MOST_ITEMS} for oracles with their best estimates, got k={workload.k}")
    estimates = LinearEstimates.of(workload)
    found = [
        BaselineStanding(name, estimates.least_variance(told.matrix), oracle.bits, oracle.is_published, told.is_exact)
        for name, oracle, told in (*_flat(workload, privacy), *_systems(workload, privacy))
    ]
    return sorted((place for place in found if math.isfinite(place.variance)), key=lambda p: (p.variance, p.bits))


def _flat(workload: Workload, privacy: Privacy) -> Iterator[Told]:
    beside = SERVED if isinstance(workload, Marginals) else ()
    for name, oracle in listed_oracles(workload.k, privacy, MEAN):
        if oracle.name not in (*SKETCHES, *beside):
            yield f"{FLAT}{name}", oracle, oracle.information()


def _systems(workload: Workload, privacy: Privacy) -> Iterator[Told]:
    if isinstance(workload, Marginals):
        for system in marginal_oracles(workload, privacy):
            if system.name not in SKETCHES:
                with suppress(InputError):  # too many reports
                    yield system.title, system, system.information()
        return
    for plain in systems(workload, privacy):
        names = [plain, *(f"{plain}:in={choice}" for choice in IN_LEVELS if plain.startswith("hh"))]
        for name in (each for usual in names for each in (usual, *weighed(usual, workload))):
            oracle = parse_oracle(name, workload.k, privacy)
            yield name, oracle, oracle.information()
