"""A channel for qif is proper to the last bit, and has the vulnerability that the matrix has."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.designs import design
from mechdesign.interop.qif_ import to_qif
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model

qif = pytest.importorskip("qif", reason="qif is not installed")


@pytest.fixture(scope="module")
def found():
    return design(DesignProblem(n=5, alpha="0.62", properties="CM"))


def test_rows_are_inputs_and_sum_to_one(found):
    channel = to_qif(found, exact=True)
    assert qif.channel.is_proper(channel)
    assert qif.channel.is_proper(to_qif(found))
    assert channel[1, 3] == found.mechanism.fraction(3, 1)
    assert to_qif(found)[1, 3] == float(found.mechanism.fraction(3, 1))
    assert to_qif(found).flags.c_contiguous


def test_bayes_vulnerability_is_that_of_the_matrix_exactly(found):
    prior = np.array([Fraction(1, 6)] * 6)
    mechanism = found.mechanism
    guessed = sum(max(mechanism.fraction(i, j) for j in range(6)) for i in range(6)) / 6
    assert qif.measure.bayes_vuln.posterior(prior, to_qif(found, exact=True)) == guessed
    assert qif.measure.bayes_vuln.posterior(np.full(6, 1 / 6), to_qif(found)) == pytest.approx(float(guessed))


def test_qif_finds_the_same_epsilon():
    local = design(DesignProblem(model=Model.ldp(4), alpha="1/3"))
    epsilon = qif.measure.d_privacy.smallest_epsilon(to_qif(local), qif.metric.discrete())
    assert epsilon == pytest.approx(np.log(3), abs=1e-9)
