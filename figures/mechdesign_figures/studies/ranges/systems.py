"""The systems of the chapter by the catalog's names, and their exact errors, each once."""

from functools import lru_cache

import numpy as np

from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.workload import Workload
from mechdesign_catalog.comparisons.workload_survey import RatesWorkloads
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.registry import parse_oracle
from mechdesign_figures.studies.ranges.printed import HAAR, HH2, HH4, HH16, USERS_LOG2

USERS = 1 << USERS_LOG2
THREE = Privacy(alpha="1/3")
"""Where the chapter does not vary epsilon: e^epsilon = 3."""

FLAT = "oue"
RAW = ":estimate=raw"
MOST_ASKED = 1 << 14
SAMPLE_SEED = 5_300
NAMES = {HH2: "hh:b=2:in=oue", HH4: "hh:b=4:in=oue", HH16: "hh:b=16:in=oue", HAAR: "haar"}
"""The systems of the tables."""


def tree(b: int, primitive: str = "oue", consistent: bool = True) -> str:
    """Return the name of the tree with fan-out b whose levels all have the same oracle, with constrained inference.

    >>> tree(8), tree(2, "hrr", consistent=False)
    ('hh:b=8:in=oue', 'hh:b=2:in=hrr:estimate=raw')
    """
    return f"hh:b={b}:in={primitive}{'' if consistent else RAW}"


@lru_cache(maxsize=1024)
def oracle(name: str, k: int, privacy: Privacy) -> FrequencyOracle:
    """Return the system of that name for k items."""
    return parse_oracle(name, k, privacy)


@lru_cache(maxsize=8192)
def average(name: str, workload: Workload, privacy: Privacy = THREE) -> float:
    """Return the mean of the exact variances of all queries, for 2^26 users with uniform shares.

    Trees without inference have no closed form: of more than `MOST_ASKED` queries that many are sampled.
    """
    made = oracle(name, workload.k, privacy)
    if is_sampled(name, workload):
        return _mean_of_sample(made, workload)
    if not isinstance(made, RatesWorkloads):
        raise TypeError(f"an oracle that rates workloads is needed, got {name}")
    return made.average_variance(workload, USERS)


def is_sampled(name: str, workload: Workload) -> bool:
    """Return whether `average` is over a sample of the queries."""
    return name.endswith(RAW) and workload.count > MOST_ASKED


def _mean_of_sample(made: FrequencyOracle, workload: Workload) -> float:
    queries = workload.sample(MOST_ASKED, np.random.default_rng(SAMPLE_SEED))
    return float(made.answer_variance(queries, np.full(workload.k, 1 / workload.k), USERS).mean())


@lru_cache(maxsize=512)
def largest(name: str, workload: Workload, privacy: Privacy = THREE) -> tuple[float, float]:
    """Return the largest exact variance of any query, likewise: a value that some query has, and a bound on all."""
    made = oracle(name, workload.k, privacy)
    if not isinstance(made, RatesWorkloads):
        raise TypeError(f"an oracle that rates workloads is needed, got {name}")
    return made.largest_variance(workload, USERS)
