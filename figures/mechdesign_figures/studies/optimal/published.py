"""Variances of published mechanisms for a workload, and of own ones.

Each has its best reconstruction.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Prefixes
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.least_variance import LinearEstimates
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle
from mechdesign_figures.studies.optimal.settings import Setting

OPTIMUM = "optimum"
GRR, SUE, OUE, OLH, HRR, SUBSETS = "GRR", "SUE", "OUE", "OLH", "HRR", "subset selection"
TREES, SUBSET_TREES, HAAR = "trees", "trees with subset selection", "HaarHRR"
INPHT, WEIGHTED, MARGPS, MARGRR = "InpHT", "InpHT, weighted", "MargPS", "MargRR"

FLAT = {GRR: "grr", SUE: "sue", OUE: "oue", OLH: "olh", HRR: "hrr", SUBSETS: "ss"}
FANOUTS = (2, 4, 8, 16)
LEVELS = ("oue", "olh", "hrr")
OF_TABLES = {
    INPHT: "inpht:k={way}:draw=uniform",
    WEIGHTED: "inpht:k={way}",
    MARGPS: "margps:k={way}",
    MARGRR: "margrr:sue:k={way}",
}
"""Systems for tables: coefficients drawn alike, as published, or by how much the tables need each; one whole table."""

MOST_FLAT = 1 << 8
"""Tuples of attributes up to which oracles on items are asked for them."""

FAMILIES = (*FLAT, TREES, SUBSET_TREES, HAAR, *OF_TABLES)


@cache
def own_families() -> frozenset[str]:
    """Return the families that no paper has, as the oracles say of themselves.

    >>> sorted(own_families())
    ['InpHT, weighted', 'trees with subset selection']
    """
    one, four = Privacy(epsilon=1), (2, 2, 2, 2)
    items = ((family, parse_oracle(name, 16, one).is_published) for family, name in _names(Prefixes(16)))
    tables = ((family, parse_marginal_oracle(form.format(way=2), four, one)) for family, form in OF_TABLES.items())
    found = [*items, *((family, oracle.is_published) for family, oracle in tables)]
    return frozenset(family for family, is_published in found if not is_published)


@lru_cache(maxsize=1024)
def variances(setting: Setting) -> tuple[tuple[str, str, float], ...]:
    """Return name, family and variance for a user of every mechanism that serves the workload.

    The variance is the sum over all queries, the mean over items that are as likely.
    """
    return tuple(_variances(setting))


def _variances(setting: Setting) -> Iterator[tuple[str, str, float]]:
    problem = setting.problem
    privacy, workload = Privacy(alpha=problem.alpha), problem.workload
    estimates = LinearEstimates.of(workload)
    for family, name in _names(workload):
        oracle = parse_oracle(name, workload.k, privacy)
        yield name, family, estimates.least_variance(oracle.information().matrix)
    if isinstance(workload, Marginals):
        for family, form in OF_TABLES.items():
            name = form.format(way=workload.way)
            of_tables = parse_marginal_oracle(name, workload.domains, privacy)
            yield name, family, estimates.least_variance(of_tables.information().matrix)


def _names(workload: Workload) -> Iterator[tuple[str, str]]:
    """Trees are for items in a row, not for tuples of attributes."""
    if workload.k <= MOST_FLAT:
        yield from FLAT.items()
    if isinstance(workload, Marginals):
        return
    for b in FANOUTS:
        if b < workload.k:
            yield from ((TREES, f"hh:b={b}:in={of_levels}") for of_levels in LEVELS)
            yield SUBSET_TREES, f"hh:b={b}:in=ss"
    yield HAAR, "haar"
