"""Workloads with levels: their Gram matrices are the few numbers that are stated."""

import numpy as np
import pytest

from mechdesign.workloads.eigenspaces import levels_of
from mechdesign.workloads.marginals import Marginals
from mechdesign.workloads.ordered import Histogram, Prefixes

WITH_LEVELS = {
    "histogram_5": Histogram(5),
    "marginals_1_of_1": Marginals((2,), 1),
    "marginals_1_of_3": Marginals((2, 2, 2), 1),
    "marginals_2_of_4": Marginals((2, 2, 2, 2), 2),
    "marginals_4_of_4": Marginals((2, 2, 2, 2), 4),
}


@pytest.mark.parametrize("name", WITH_LEVELS)
def test_eigenvalues_and_constant_are_those_of_the_gram_matrix(name: str) -> None:
    workload = WITH_LEVELS[name]
    levels = levels_of(workload)
    assert levels is not None
    k = workload.k
    gram = np.array(workload.gram(), dtype=float)
    centring = np.eye(k) - 1 / k
    stated = [0.0, *np.repeat(levels.eigenvalues, levels.dimensions).tolist()]
    assert np.linalg.eigvalsh(centring @ gram @ centring) == pytest.approx(np.array(sorted(stated)), abs=1e-9)
    assert float(levels.constant) == pytest.approx(gram.mean() - gram.trace() / k)


def test_other_workloads_have_none() -> None:
    assert levels_of(Prefixes(8)) is None
    assert levels_of(Marginals((2, 3), 1)) is None
    assert levels_of(Histogram(1)) is None
