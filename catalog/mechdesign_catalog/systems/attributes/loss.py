"""The privacy loss of mechanisms for tuples: by formula, and by every report.

Three numbers: the loss that is claimed; the loss over tuples that differ in one attribute; the loss over any two
tuples. Local differential privacy with epsilon means the third. All are kept as `alpha = e^-loss`, a rational.
"""

import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from mechdesign.problem.privacy import Privacy, loss_above
from mechdesign_catalog.randomizers.reports.reports import ReportLaw
from mechdesign_catalog.systems.attributes.one_way import TupleOracle

MAX_CELLS = 20_000
"""Probabilities that are looked at for a report of losses: about a tenth of a second."""


@dataclass(frozen=True)
class Losses:
    """The losses of a mechanism for tuples, claimed and real.

    `outputs` is how many reports were looked at, None where they are too many and only the formula was used.
    """

    claimed: Privacy
    one_attribute_alpha: Fraction
    whole_tuple_alpha: Fraction
    outputs: int | None

    @property
    def one_attribute(self) -> float:
        """Largest loss over tuples that differ in one attribute."""
        return loss_above(self.one_attribute_alpha)

    @property
    def whole_tuple(self) -> float:
        """Largest loss over any two tuples."""
        return loss_above(self.whole_tuple_alpha)

    @property
    def one_attribute_holds(self) -> bool:
        """Whether the claim is true where one attribute changes."""
        return self.claimed.allows(self.one_attribute_alpha)

    @property
    def whole_tuple_holds(self) -> bool:
        """Whether the claim is true for whole tuples."""
        return self.claimed.allows(self.whole_tuple_alpha)


def losses(oracle: TupleOracle) -> Losses:
    """Compute the losses by the formulas of the mechanism, for small domains by every report as well.

    Raises:
        ArithmeticError: if the two differ, which no input can cause.
    """
    attributes = range(len(oracle.domains))
    one, whole = min(oracle.changed_alpha([j]) for j in attributes), oracle.changed_alpha(attributes)
    if math.prod(oracle.domains) * outputs_of(oracle) > MAX_CELLS:
        return Losses(oracle.privacy, one, whole, None)
    law = oracle.report_law()
    seen = min(enumerated_alpha(law, oracle.domains, [j]) for j in attributes)
    if (seen, enumerated_alpha(law, oracle.domains, attributes)) != (one, whole):
        raise ArithmeticError(f"the losses of {oracle.name} over {oracle.domains} differ from those of its reports")
    return Losses(oracle.privacy, one, whole, len(law))


def outputs_of(oracle: TupleOracle) -> int:
    """Count the different reports there are (for SMP at most), without listing them."""
    sizes = (k if kind == "grr" else 1 << min(k, 64) for k, kind in zip(oracle.domains, oracle.encodings, strict=True))
    return math.prod(sizes)


def enumerated_alpha(law: ReportLaw, domains: tuple[int, ...], attributes: Collection[int]) -> Fraction:
    """Compute the smallest `Pr[y|x] / Pr[y|z]` over reports y, and tuples x, z that agree outside of these attributes.

    `law[y]` has a positive probability for each tuple, the last attribute changing fastest.
    """
    kept = [j for j in range(len(domains)) if j not in set(attributes)]
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, x in enumerate(itertools.product(*map(range, domains))):
        groups.setdefault(tuple(x[j] for j in kept), []).append(place)
    smallest = Fraction(1)
    for row in law.values():
        for group in groups.values():
            chances = [row[place] for place in group]
            smallest = min(smallest, min(chances) / max(chances))
    return smallest
