"""What is handed to other tools: designs of both kinds, and what their inputs are."""

from fractions import Fraction

import pytest
from wording import refused

from mechdesign.designs import design
from mechdesign.errors import InputError
from mechdesign.interop.dominating_pair import dominating_pair
from mechdesign.interop.dp_accounting_ import loss_masses
from mechdesign.interop.inputs import stated
from mechdesign.interop.qif_ import to_qif
from mechdesign.laws.finding import design_law
from mechdesign.problem.model import Model
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workloads.ordered import Prefixes


@pytest.fixture(scope="module")
def prefixes():
    return design(WorkloadProblem(Prefixes(3), alpha="1/3"))


def test_a_workload_design_is_handed_over_with_its_local_model(prefixes):
    mechanism, model = stated(prefixes, None)
    assert model == Model.ldp(3)
    assert (mechanism.n_outputs, mechanism.n_inputs) == (prefixes.mechanism.n_outputs, 3)
    with refused(InputError, about="model"):
        stated(prefixes, Model.ldp(3))


def test_a_law_is_not_of_one_size():
    law = design_law(alpha="1/2")
    with refused(InputError):
        to_qif(law)
    assert to_qif(law.design(4)).shape == (5, 5)


def test_the_channel_of_a_workload_design_has_its_probabilities(prefixes):
    channel = to_qif(prefixes)
    assert channel.shape == (3, prefixes.mechanism.n_outputs)
    assert channel[1, 0] == pytest.approx(float(prefixes.mechanism.fraction(0, 1)), rel=1e-15)


def test_the_losses_of_a_workload_design_are_at_most_its_epsilon(prefixes):
    mechanism, model = stated(prefixes, None)
    masses, infinite = loss_masses(dominating_pair(mechanism, model.graph), Fraction(1, 100))
    assert infinite == 0
    assert max(masses) == 110  # ln 3 = 1.0986
