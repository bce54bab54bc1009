"""Wrap a mechanism as a measurement of OpenDP."""

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from mechdesign.arguments import checked
from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign.interop.inputs import require_plain, stated
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


@checked
def to_opendp(design: Design | WorkloadDesign | Mechanism, model: Model | None = None) -> Any:
    """Make a measurement of OpenDP that draws one output of the mechanism for one input, exactly.

    The input is a whole number (`i64`), brought into 0..n_inputs-1 first: that moves no two inputs apart, and no input
    is refused, so that no message can hold one. Counts, and items of limited precision, are `absolute_distance` apart;
    for items of a local model distances are `discrete_distance`. The output measure is `max_divergence`; the privacy
    map is that of the mechanism's own tightest alpha on its neighbours, `-ln alpha` for each step between them, rounded
    up. A measurement is not picklable; its randomness is the operating system's.

    Args:
        design: a design, also one for a workload, or a mechanism.
        model: what the inputs of a mechanism are; counts if not given.

    Raises:
        InputError: where OpenDP is missing or its features are not enabled (that is left to you), for a metric, or for
            a mechanism whose epsilon is infinite.

    Source: OpenDP 0.16, `opendp.measurements.make_user_measurement`.
    """
    mechanism, model = stated(design, model)
    graph = require_plain(model).graph
    alpha = tightest_alpha(mechanism.weights, graph).alpha
    if alpha is None:
        raise InputError("mechanism must have a finite epsilon, got a zero beside a positive entry")
    dp = _opendp()
    metric = dp.discrete_distance() if graph.is_complete else dp.absolute_distance(T=WHOLE)
    try:
        return dp.m.make_user_measurement(
            dp.atom_domain(T=WHOLE), metric, dp.max_divergence(), _function(mechanism), _privacy_map(alpha, model)
        )
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
        raise InputError("to_opendp must have OpenDP, got none; pip install mechdesign[interop]") from None
    return prelude


def _function(mechanism: Mechanism) -> Callable[[int], int]:
    """Return what draws one output for one input."""
    sampler, last = Sampler(mechanism.weights, mechanism.denominator), mechanism.n_inputs - 1

    def draw(value: int) -> int:
        return int(sampler.sample(np.array([min(max(value, 0), last)]))[0])

    return draw


def _privacy_map(alpha: Fraction, model: Model) -> Callable[[int], float]:
    """Return what maps a distance of inputs to the loss, a float that is never below it."""
    step = 1 if model.graph.is_complete else max(model.graph.radius, 1)

    def loss(distance: int) -> float:
        if distance < 0:
            raise InputError(f"distance must be at least 0, got {distance}")
        steps = min(distance, 1) if model.graph.is_complete else -(-distance // step)
        return loss_above(alpha, Fraction(1, steps)) if steps else 0.0

    return loss
