"""Local mechanisms of rows made by hand, cyclic intervals whose columns add up by themselves; what found ones do."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.methods.row_designs.programme import RowProgramme, RowSolution
from mechdesign.problem.privacy import Privacy
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle


def cyclic_rows(k: int, alpha: Fraction, weights: Sequence[int]) -> RowMechanism:
    """All cyclic intervals of 1, 2, .. items of k, those of one length with equal weights."""
    rows, found = [], []
    for length, weight in enumerate(weights, start=1):
        for first in range(k):
            rows.append("".join("1" if (item - first) % k < length else "0" for item in range(k)))
            found.append(weight * alpha.numerator)
    entry = {"0": alpha.numerator, "1": alpha.denominator}
    column = sum(weight * entry[row[0]] for weight, row in zip(found, rows, strict=True))
    return RowMechanism(alpha, tuple(rows), tuple(found), column // alpha.numerator)


def cyclic_oracle(
    k: int, privacy: Privacy, weights: Sequence[int], prior: Sequence[int] | None = None
) -> WorkloadOracle:
    """The same as an oracle for prefixes."""
    return WorkloadOracle.of(cyclic_rows(k, privacy.alpha, weights), Prefixes(k), prior, privacy)


def inputs_of(stated: RowProgramme, found: RowSolution) -> np.ndarray:
    """The variance at each input, from the definition: weights, rows and the estimator of least variance."""
    r = 1 + (stated.entry - 1) * found.rows.astype(float)
    means = r @ found.dual.programme.prior
    information = (r.T * (found.weights / means)) @ r
    gram = found.dual.programme.gram
    inverse = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    energies = np.einsum("ij,jk,ik->i", r, inverse @ gram @ inverse, r) / means**2
    return (found.weights * energies) @ r - gram.diagonal()
