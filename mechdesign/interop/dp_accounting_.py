"""The privacy loss distribution of a mechanism, for dp-accounting."""

import math
from collections import defaultdict
from decimal import Context, Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

from mechdesign.arguments import checked
from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign.interop.dominating_pair import dominating_pair, pair_of_law
from mechdesign.interop.inputs import require_plain, stated
from mechdesign.laws.law import Law
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import epsilon_bounds
from mechdesign.workload_designs import WorkloadDesign

INTERVAL = 1e-4
"""Distance of the losses that masses are put on, dp-accounting's own choice."""

MOST_INTERVALS = 1 << 22

DIGITS = 60
SLACK = Fraction(1, 10**40)
"""More than what rounding to so many digits leaves uncertain of a mass."""

Masses = dict[int, float]


@checked
def to_dp_accounting(
    design: Design | WorkloadDesign | Mechanism | Law, model: Model | None = None, *, interval: float = INTERVAL
) -> Any:
    """Make a privacy loss distribution for dp-accounting that is never below the truth, for one use of the mechanism.

    It is that of the dominating pair of all ordered pairs of neighbours (`dominating_pair`), so `self_compose` bounds
    delta for any number of uses, also of adaptive ones, in both directions. The mass of a loss between two multiples of
    the interval is shared out between these so that delta at every epsilon grows, by little (Doroshenko, Ghazi,
    Kamath, Kumar, Manurangsi, PoPETs 2022), and rounded up.

    Args:
        design: a design, also one for a workload, a mechanism, or a law, which loses the same at every n.
        model: what the inputs of a mechanism are; counts if not given.
        interval: distance of the losses that masses are put on; a smaller one is tighter and slower.

    Returns:
        A `dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution`.

    Raises:
        InputError: where dp-accounting is missing, for a metric, an interval that is not in (0, 1], or more losses or
            neighbours than can be gone through.

    Source: dp-accounting 0.6, `privacy_loss_distribution`.
    """
    if not 0 < interval <= 1:
        raise InputError(f"interval must be in (0, 1], got interval={interval}")
    if isinstance(design, Law):
        if model is not None:
            raise InputError(f"model must not be given for a law, which is on counts, got {model.describe()}")
        pair = pair_of_law(design)
    else:
        mechanism, model = stated(design, model)
        pair = dominating_pair(mechanism, require_plain(model).graph)
    distributions = _privacy_loss_distribution()
    masses, infinite = loss_masses(pair, Fraction(interval))
    return distributions.PrivacyLossDistribution.create_from_rounded_probability(
        masses, infinite, interval, pessimistic_estimate=True
    )


def _privacy_loss_distribution() -> ModuleType:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise InputError(
            "to_dp_accounting needs the package dp-accounting, which is not installed; "
            'run pip install "mechdesign[interop]"'
        ) from None
    module: ModuleType = privacy_loss_distribution
    return module


def loss_masses(pair: Mechanism, interval: Fraction) -> tuple[Masses, float]:
    """Share the masses of losses `ln(P[i,0] / P[i,1])` out over multiples of the interval, each rounded up.

    Returns:
        The mass at each multiple, by its number, and the mass of infinite losses.

    A loss with `g0 <= g <= g1`, g the ratio and g0, g1 those of the multiples beside it, is split so that P[i,0] and
    P[i,1] are both kept: that spreads the ratio under P[., 1], and delta, `E max(ratio - t, 0)`, does not fall.
    """
    found: dict[int, Fraction] = defaultdict(Fraction)
    infinite = Fraction(0)
    for i in range(pair.n_outputs):
        upper, lower = pair.fraction(i, 0), pair.fraction(i, 1)
        if lower == 0:
            infinite += upper
        elif upper == lower:
            found[0] += upper
        elif upper:
            below, parts = _split(upper / lower, interval)
            for place, part in enumerate(parts, below):
                found[place] += upper * part + SLACK
    return {place: _float_above(mass) for place, mass in sorted(found.items())}, _float_above(infinite)


def _split(ratio: Fraction, interval: Fraction) -> tuple[int, tuple[Fraction, Fraction]]:
    """Return the multiple below the loss of this ratio, and what parts of its mass go there and to the next."""
    bounds = epsilon_bounds(min(ratio, 1 / ratio))
    loss = bounds[0] if ratio > 1 else -bounds[1]
    below = math.floor(loss / interval)
    if abs(below) > MOST_INTERVALS:
        raise InputError(f"interval must be at least {float(abs(loss)) / MOST_INTERVALS:.1g} for this mechanism")
    low, high = _exp(below * interval), _exp((below + 1) * interval)
    above = min(max((ratio - low) / (high - low) * high / ratio, Fraction(0)), Fraction(1))
    return below, (1 - above, above)


def _exp(exponent: Fraction) -> Fraction:
    context = Context(prec=DIGITS)
    return Fraction(context.exp(context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))))


def _float_above(value: Fraction) -> float:
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)
