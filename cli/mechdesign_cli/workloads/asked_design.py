"""Make the problem of a local design for a workload of option texts."""

from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents.workloads import parse_workload
from mechdesign.errors import InputError, shorten
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.marginals import marginals_on, parse_attributes
from mechdesign.workloads.workload import Workload


@dataclass(frozen=True)
class AskedDesign:
    """Hold what is asked of a local design: the problem, and how far to go."""

    problem: WorkloadProblem
    gap: float | None = None
    outputs: int | None = None
    start: Path | None = None
    time_limit: float | None = None


def read_workload(text: str, k: int | None, attributes: str | None) -> Workload:
    """Read the workload on k items, or on attributes.

    Raises:
        InputError: unless there is either a number of items or attributes, these with `marginals:K`.
    """
    if (k is None) == (attributes is None):
        got = "neither" if k is None else "both"
        raise InputError(f"exactly one of --k and --attributes must be given with --workload, got {got}")
    if attributes is not None:
        return marginals_on(parse_attributes(attributes), text)
    assert k is not None
    return parse_workload(text, k)


def read_workload_problem(
    text: str, model: str | None, k: int | None, attributes: str | None, privacy: Privacy, aggregate: str
) -> WorkloadProblem:
    """Read the problem.

    Raises:
        InputError: for another model than ldp, and for what is no problem.
    """
    if model not in (None, "ldp"):
        raise InputError(f"--workload goes with --model ldp, got it with --model {shorten(model)}")
    return WorkloadProblem(read_workload(text, k, attributes), privacy=privacy, aggregate=aggregate)
