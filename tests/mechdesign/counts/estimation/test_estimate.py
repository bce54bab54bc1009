import subprocess
import sys

import pytest
from estimation_cases import mechanism_of
from wording import refused

from mechdesign import InputError, Mechanism
from mechdesign.counts.estimation import estimate_counts
from mechdesign.counts.estimation.inversion import LARGEST_INVERSE, LARGEST_SYSTEM


def test_it_puts_the_parts_together():
    found = estimate_counts(mechanism_of("GM 4 1/2"), [258, 158, 167, 158, 259], "0.9")
    assert (found.releases, found.rank, found.is_singular) == (1000, 5, False)
    assert found.released_shares == tuple(count / 1000 for count in found.counts)
    assert found.mean.confidence == 0.9
    # nothing negative: both estimates agree, and so do their means
    assert min(found.inversion.distribution) > 0
    assert found.likelihood.distribution == pytest.approx(found.inversion.distribution, abs=1e-4)
    assert found.likelihood.mean == pytest.approx(found.mean.value, abs=1e-4)


def test_a_singular_matrix_still_has_a_likelihood():
    found = estimate_counts(Mechanism(((1, 1),) * 2, 2), [3, 1])
    assert (found.rank, found.is_singular, found.inversion, found.mean) == (1, True, None, None)
    assert found.likelihood.converged


@pytest.mark.parametrize(("size", "has_mean"), [(LARGEST_INVERSE + 1, True), (LARGEST_SYSTEM + 1, False)])
def test_large_matrices_are_not_inverted(size, has_mean):
    lazy = Mechanism(
        tuple(tuple(3 if i == j else int(i == (j + 1) % size) for j in range(size)) for i in range(size)), 4
    )
    found = estimate_counts(lazy, [1] * size)
    assert found.inversion is None
    assert (found.mean is not None, found.rank == size) == (has_mean, has_mean)
    assert not found.is_singular
    assert found.likelihood.converged


def test_the_confidence_is_looked_at_first():
    with refused(InputError, about="confidence"):
        estimate_counts(Mechanism(((1,),), 1), [0], "2")


def test_nothing_slow_is_imported_with_it():
    code = "import sys, mechdesign.counts.estimation; print('scipy.stats' in sys.modules, 'cvxpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
