"""The survey of oracles for marginal tables: errors of cells at equal shares.

Every tuple has the same share.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from mechdesign.errors import InputError
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.workload import LARGEST_K
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.comparisons.listed import listed_oracles
from mechdesign_catalog.comparisons.survey import SAME, Cells, in_order, oracle_cells
from mechdesign_catalog.comparisons.workload_survey import (
    RatedForWorkload,
    RatesWorkloads,
    Rating,
    lies_cells,
    rate,
    require_users,
)
from mechdesign_catalog.decoders.decoder import NORM, Decoder
from mechdesign_catalog.decoders.tables.subsets import Subset, UniformShares
from mechdesign_catalog.randomizers.exchangeable import ExchangeableOracle
from mechdesign_catalog.randomizers.facts.liars import WorstBias, parse_liars, worst_answer_bias
from mechdesign_catalog.randomizers.oracle import FrequencyOracle, Users
from mechdesign_catalog.systems.attributes.marginal_oracle import (
    LinearEstimator,
    MarginalOracle,
    representative_tables,
    worst_table,
)
from mechdesign_catalog.systems.attributes.rsfd import ENCODINGS
from mechdesign_catalog.systems.flat.subset import MEAN
from mechdesign_catalog.systems.registry import FLAT, parse_oracle
from mechdesign_catalog.systems.tables.fourier.inpes import BASES, Inpes
from mechdesign_catalog.systems.tables.inputs.input_sketch import InpHtCms
from mechdesign_catalog.systems.tables.registry import MARGINAL_CLASSES, MarginalOracleClass

MOST_TABLES = 1 << 15
MOST_CELLS = 1 << 12
"""Cells of one table: its covariances take the square of that."""

MOST_SKETCHED = 1 << 24
"""Tuples times cells of tables up to which collisions of INPHTCMS are added up."""

LEAST_SQUARES, RAW = "least-squares", "raw"

OPTIONS: dict[str, tuple[dict[str, str], ...]] = {
    "rs+fd": tuple({"encoding": encoding} for encoding in ENCODINGS),
    "inpht": ({}, {"draw": "uniform"}),
    "inpes": tuple({"basis": basis} for basis in BASES),
}
"""Options with which an oracle is listed, beside the way of the tables; others are listed with their usual ones."""

SERVED = ("sue", "oue", "grr", "olh", "hcms")
"""Oracles that INPRR, INPPS, INPOLH and INPHTCMS have on the joint domain."""

SURE = 0.99
"""Oracles are recommended where each part of the users is not empty with this chance."""


@dataclass(frozen=True)
class WorstCase:
    """The worst case of a fraction of liars: the largest bias of a cell, and its attributes.

    There is no bias where it takes too long; no attributes where that is of all tables together.
    """

    liars: Fraction
    bias: WorstBias | None = None
    attributes: Subset | None = None

    def cells(self) -> Cells:
        """Return what JSON has of it, attributes numbered from 1."""
        return {
            **lies_cells(self.liars, self.bias),
            "worst_bias_attributes": None if self.attributes is None else ",".join(str(i + 1) for i in self.attributes),
        }


@dataclass(frozen=True)
class MarginalsStanding(RatedForWorkload):
    """The rating of an oracle for all cells of all tables; `post` is how they are estimated.

    `answer_chance` is the chance that every branch that users share out over has one, without which there is no answer.
    """

    post: str | None
    answer_chance: float
    lies: "WorstCase | None" = None

    @property
    def is_sure(self) -> bool:
        """Whether there are enough users for an answer."""
        return self.answer_chance >= SURE

    def entry(self) -> Cells:
        """Return the row as JSON has it."""
        return {
            "oracle": self.name,
            "post": self.post,
            **self.rating.cells(),
            "standard_error": self.standard_error,
            "times_bound": self.times_bound,
            "answer_chance": self.answer_chance,
            **({} if self.lies is None else self.lies.cells()),
            **oracle_cells(self.oracle),
        }

    @property
    def worst_bias(self) -> WorstBias | None:
        """Largest bias that liars can give a cell; None without liars, and where it takes too long."""
        return None if self.lies is None else self.lies.bias


def survey_marginals(
    workload: Marginals,
    privacy: Privacy,
    users: int,
    *,
    liars: Number | None = None,
    others: Iterable[str] = (),
) -> list[MarginalsStanding]:
    """List all oracles for marginal tables side by side, the smallest average variance of a cell first.

    Args:
        workload: the attributes and how many of them a table has; all tuples have the same share.
        privacy: what each report may lose.
        users: their number n; a branch with the chance p has `n p` of them.
        liars: fraction of the users who send reports of their choice: how far they move a cell.
        others: more oracles on the tuples to list, as `parse_oracle` takes them, such as the file of a design.

    Returns:
        A row for each oracle and linear estimator, raw ones only where they have other variances; and `flat:ORACLE` on
        the tuples, for further oracles on items. SPL, SMP and RS+FD are for tables of one attribute. Oracles that do
        not serve these attributes are left out.

    Raises:
        InputError: for less than two users, too many tables, too large ones, a fraction of liars that is not in
            (0, 1), or another oracle that is none.
    """
    require_users(users)
    if (tables := math.comb(len(workload.domains), workload.way)) > MOST_TABLES:
        raise InputError(f"marginals must be of at most {MOST_TABLES} tables to rate oracles for, got {tables}")
    if (cells := math.prod(sorted(workload.domains)[-workload.way :])) > MOST_CELLS:
        raise InputError(f"marginals must have tables of at most {MOST_CELLS} cells to rate oracles for, got {cells}")
    made = [(name, parse_oracle(name, workload.k, privacy)) for name in others]
    lying = None if liars is None else parse_liars(liars)
    found = [_on_tuples(name, oracle, workload, users, lying) for name, oracle in made]
    for marginal in marginal_oracles(workload, privacy):
        found += _by_estimator(marginal, workload, users, lying)
    found += _flat_standings(workload, privacy, users, lying)
    bound = variance_bound(workload, privacy, users)
    return in_order(replace(one, bound=bound) for one in found)


def recommendable(standings: Sequence[MarginalsStanding]) -> list[MarginalsStanding]:
    """Return the rows that may be called best: enough users for an answer, no loss beyond the claim, tables that agree.

    Tables agree by `least-squares`; further oracles on items have none of it.
    """
    return [s for s in standings if s.is_sure and not s.loses_more and s.post != RAW]


def marginal_oracles(workload: Marginals, privacy: Privacy) -> Iterator[MarginalOracle]:
    """Make the oracles for several attributes that serve a workload, with the options with which they are listed."""
    for kind in MARGINAL_CLASSES:
        for options in OPTIONS.get(kind.name, ({},)):
            oracle = _made(kind, workload, privacy, options)
            if oracle is not None:
                yield oracle


def _made(
    kind: MarginalOracleClass, workload: Marginals, privacy: Privacy, options: dict[str, str]
) -> MarginalOracle | None:
    """Make an oracle; None where it does not serve these attributes, or is another one by another name."""
    if kind is Inpes and set(workload.domains) == {2}:
        return None  # the bases of two items are all the same, and so INPHT's
    if kind is InpHtCms and workload.k * _cells_asked(workload) > MOST_SKETCHED:
        return None
    way = {"way": workload.way} if "k" in kind.fields_by_option() else {}
    try:
        oracle = kind(workload.domains, privacy, **way, **options)
    except InputError:
        return None
    return oracle if oracle.way == workload.way else None


def _cells_asked(workload: Marginals) -> int:
    """Count the cells of the tables that a sketch is asked for: one where all attributes have two items, else all."""
    return 1 << workload.way if set(workload.domains) == {2} else workload.count


def _by_estimator(
    oracle: MarginalOracle, workload: Marginals, users: int, liars: Fraction | None
) -> Iterator[MarginalsStanding]:
    planned = oracle.planned_users(users)
    chance = answer_chance(planned)
    agreeing = rate_tables(oracle, oracle.least_squares, workload, planned)
    lies = _worst_case(oracle, oracle.least_squares, liars)
    yield MarginalsStanding(oracle.title, oracle, agreeing, LEAST_SQUARES, chance, lies)
    alone = rate_tables(oracle, oracle.raw, workload, planned)
    if not math.isclose(alone.average, agreeing.average, rel_tol=SAME):
        lies = _worst_case(oracle, oracle.raw, liars)
        yield MarginalsStanding(oracle.title, oracle, alone, RAW, chance, lies)


def _worst_case(oracle: MarginalOracle, estimator: LinearEstimator, liars: Fraction | None) -> WorstCase | None:
    if liars is None:
        return None
    found = worst_table(oracle, estimator, liars)
    return WorstCase(liars) if found is None else WorstCase(liars, found.bias, found.subset)


def _on_tuples(
    name: str, oracle: FrequencyOracle, workload: Marginals, users: int, liars: Fraction | None
) -> MarginalsStanding:
    decoder = Decoder(oracle)
    lies = None if liars is None else WorstCase(liars, worst_answer_bias(decoder, workload, liars))
    post = NORM if decoder.centres else None
    return MarginalsStanding(name, oracle, rate(oracle, workload, users), post, 1.0, lies)


def _flat_standings(
    workload: Marginals, privacy: Privacy, users: int, liars: Fraction | None
) -> Iterator[MarginalsStanding]:
    if workload.k > LARGEST_K:
        return
    for name, oracle in listed_oracles(workload.k, privacy, MEAN):
        if oracle.name not in SERVED and isinstance(oracle, RatesWorkloads | ExchangeableOracle):
            yield _on_tuples(f"{FLAT}{name}", oracle, workload, users, liars)


def rate_tables(oracle: MarginalOracle, estimator: LinearEstimator, workload: Marginals, users: Users) -> Rating:
    """Compute average and largest variance of a cell, at uniform shares; of tables that are alike only one is asked."""
    shares = UniformShares(workload.domains)
    total, largest = 0.0, 0.0
    for table, number in representative_tables(oracle, workload.way):
        variances = estimator.variances(table, shares, users)
        total += number * float(variances.sum())
        largest = max(largest, float(variances.max()))
    return Rating(total / workload.count, lambda: (largest, largest))


def answer_chance(users: Users) -> float:
    """Return about the chance that each of several branches has a user, from their numbers of users on average."""
    parts = np.asarray(users, dtype=np.float64).reshape(-1)
    return 1.0 if len(parts) < 2 else float(np.exp(np.log1p(-np.exp(-parts)).sum()))
