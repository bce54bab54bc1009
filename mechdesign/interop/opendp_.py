"""Measurements of OpenDP, made of a mechanism."""

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from mechdesign.arguments import checked
from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign.interop.inputs import require_plain, stated
from mechdesign.laws.law import Law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import Sampler
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import loss_above
from mechdesign.workload_designs import WorkloadDesign

WHOLE = "i64"
"""OpenDP's type of inputs and outputs."""

FEATURES = ("contrib", "honest-but-curious")
"""What OpenDP asks of who wraps functions of their own: `make_user_measurement` believes what it is told."""

Draw = Callable[[int], int]
Loss = Callable[[int], float]


@checked
def to_opendp(
    design: Design | WorkloadDesign | Mechanism | Law, model: Model | None = None, *, n: int | None = None
) -> Any:
    """Make a measurement of OpenDP that draws one output of the mechanism for one input, exactly.

    The input is a whole number (`i64`), brought into 0..n_inputs-1 first: that moves no two inputs apart, and no input
    is refused, so that no message can hold one. Counts, and items of limited precision, are `absolute_distance` apart;
    for items of a local model distances are `discrete_distance`. The output measure is `max_divergence`; the privacy
    map is that of the mechanism's own tightest alpha on its neighbours, `-ln alpha` for each step between them, rounded
    up. A measurement is not picklable; its randomness is the operating system's.

    Args:
        design: a design, also one for a workload, a mechanism, or a law, which is not written out as a matrix.
        model: what the inputs of a mechanism are; counts if not given.
        n: with a law alone, the number of people in the group, up to 10^9.

    Raises:
        InputError: where OpenDP is missing or its features are not enabled (that is left to you), for a metric, or for
            a mechanism whose epsilon is infinite.

    Source: OpenDP 0.16, `opendp.measurements.make_user_measurement`.
    """
    if isinstance(design, Law):
        return _measurement(*_of_law(design, model, n), is_complete=False)
    if n is not None:
        raise InputError(f"n goes with a law, got n={n} with a mechanism, which has its own")
    mechanism, model = stated(design, model)
    graph = require_plain(model).graph
    alpha = tightest_alpha(mechanism.weights, graph).alpha
    if alpha is None:
        raise InputError("mechanism must have a finite epsilon, got a zero beside a positive entry")
    return _measurement(_function(mechanism), _privacy_map(alpha, model), graph.is_complete)


def _of_law(law: Law, model: Model | None, n: int | None) -> tuple[Draw, Loss]:
    """Return what draws for a group of n by a law, and its loss: alpha is the tightest of every size."""
    if model is not None:
        raise InputError(f"model must not be given for a law, which is on counts, got {model.describe()}")
    if n is None:
        raise InputError("n must be given for a law for groups of every size, got none")
    law.require_size(n)

    def draw(value: int) -> int:
        return int(law.mechanism.sample([n], [min(max(value, 0), n)])[0])

    return draw, _privacy_map(law.problem.privacy.alpha, Model.count(1))


def _measurement(draw: Draw, loss: Loss, is_complete: bool) -> Any:
    dp = _opendp()
    metric = dp.discrete_distance() if is_complete else dp.absolute_distance(T=WHOLE)
    try:
        return dp.m.make_user_measurement(dp.atom_domain(T=WHOLE), metric, dp.max_divergence(), draw, loss)
    except dp.OpenDPException as error:
        if "not enabled" not in str(error):
            raise
        names = ", ".join(f'"{name}"' for name in FEATURES)
        raise InputError(
            f"OpenDP must have its features {names} enabled, got others; call opendp.prelude.enable_features({names})"
        ) from None


def _opendp() -> ModuleType:
    try:
        import opendp.prelude as prelude
    except ImportError:
        raise InputError(
            'to_opendp needs the package opendp, which is not installed; run pip install "mechdesign[interop]"'
        ) from None
    return prelude


def _function(mechanism: Mechanism) -> Draw:
    """Return what draws one output for one input."""
    sampler, last = Sampler(mechanism.weights, mechanism.denominator), mechanism.n_inputs - 1

    def draw(value: int) -> int:
        return int(sampler.sample(np.array([min(max(value, 0), last)]))[0])

    return draw


def _privacy_map(alpha: Fraction, model: Model) -> Loss:
    """Return what maps a distance of inputs to the loss, a float that is never below it."""
    step = 1 if model.graph.is_complete else max(model.graph.radius, 1)

    def loss(distance: int) -> float:
        if distance < 0:
            raise InputError(f"distance must be at least 0, got {distance}")
        steps = min(distance, 1) if model.graph.is_complete else -(-distance // step)
        return loss_above(alpha, Fraction(1, steps)) if steps else 0.0

    return loss
