"""The oracle of a workload design, in memory or from its document.

A document's claims are checked first.
"""

from collections.abc import Iterator
from fractions import Fraction

from mechdesign.documents.files import FilePath
from mechdesign.documents.stored import StoredWorkloadDesign
from mechdesign.errors import InputError, RefusedError
from mechdesign.level_designs import LevelDesign
from mechdesign.problem.privacy import Privacy, epsilon_bounds
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import WorkloadDesign
from mechdesign_catalog.randomizers.oracle import FrequencyOracle
from mechdesign_catalog.systems.designs.level_design import oracle_of_levels
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.designs.workload_design_text import item_prior

AGREES = Fraction(1, 10**6)
"""Part of itself by which a stated variance may be off the one that is computed here, in floats."""


def oracle_of_design(design: WorkloadDesign | LevelDesign, privacy: Privacy | None = None) -> FrequencyOracle:
    """Make the oracle of a design for a workload, to be used like any other.

    Args:
        design: as `mechdesign.design` returns it.
        privacy: what is claimed; the exact alpha of the design if not given.

    Raises:
        InputError: for a claim below what the design loses.
    """
    if isinstance(design, LevelDesign):
        return oracle_of_levels(design.mechanism, design.problem.privacy, privacy)
    prior = item_prior(design.problem.merged.groups, design.certificate["prior"])
    return WorkloadOracle.of(design.mechanism, design.problem.workload, prior, privacy)


def oracle_of_document(
    document: StoredWorkloadDesign, source: FilePath, k: int, privacy: Privacy | None = None
) -> WorkloadOracle:
    """Make the oracle of a document, for k items.

    Whoever reports needs the privacy, whoever estimates that answers are unbiased and vary as stated: these are checked
    here. How near the design is to the best one is not, and need not be for use; `mechdesign check` proves that too.

    Raises:
        InputError: for another k, a claim below what the design loses, or probabilities that do not sum to 1.
        RefusedError: naming the first claim that is false: epsilon, an answer that cannot be told, a variance.
    """
    if document.problem.k != k:
        raise InputError(f"design must have k = {k} items, got {document.problem.k} in {source}")
    try:
        prior = item_prior(document.problem.merged.groups, document.parsed.certificate["prior"])
        oracle = WorkloadOracle.of(document.mechanism(), document.problem.workload, prior, privacy)
    except InputError as error:
        raise InputError(f"{error} in {source}") from None
    for claim in _false_claims(document, oracle):
        raise RefusedError(f"refused: {source} claims what is false: {claim}")
    return oracle


def _false_claims(document: StoredWorkloadDesign, oracle: WorkloadOracle) -> Iterator[str]:
    """Yield in words what a document says and is not so."""
    if document.parsed.epsilon < epsilon_bounds(document.problem.alpha)[0]:
        yield f"epsilon is at least the loss, {oracle.privacy.epsilon_text(9)}"
    try:
        spread = _variances(oracle)
    except InputError as error:
        yield f"all queries are answered ({error})"
        return
    computed = {"least": min(spread), "mean": sum(spread) / len(spread), "largest": max(spread)}
    stated = {"least": document.inputs.least, "mean": document.inputs.mean, "largest": document.inputs.largest}
    for name, value in computed.items():
        if not _agree(stated[name], value):
            yield f"inputs {name}: the variance for a user is {float(stated[name]):.9g} (it is {value:.9g})"
    upper, aim = document.parsed.upper[1], computed[_aim(document.problem)]
    if not _agree(upper, aim):
        yield f"upper: the variance is {float(upper):.9g} (it is {aim:.9g})"


def _aim(problem: WorkloadProblem) -> str:
    return "largest" if problem.is_worst_case else "mean"


def _agree(stated: Fraction, value: float) -> bool:
    return abs(stated - Fraction(value)) <= AGREES * max(abs(stated), Fraction(value))


def _variances(oracle: WorkloadOracle) -> list[float]:
    """Return the variance for a user of each item, summed over the queries."""
    queries = oracle.workload.queries()
    oracle.require_estimable(queries)
    parts = [oracle.spread(weights).sum(axis=0) for weights in oracle.query_parts(queries)]
    return [float(sum(of_item)) for of_item in zip(*parts, strict=True)]
