"""The grid: every n with every alpha, every set of properties and every loss."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.properties import parse_properties
from mechdesign.sweeps.ranges import each_once, parse_alphas, parse_sizes

SWEPT = ("count", "ldp", "lldp")
MAX_DESIGNS = 10_000
"""Most designs in one sweep: a typing slip such as 2:64:0.001 should not start a year of work."""


@dataclass(frozen=True)
class SweepGrid:
    """Sizes, alphas, sets of properties and losses; the designs are all their combinations, sizes varying slowest.

    Args:
        sizes: n for counts, k for the local models.
        alphas, property_sets, losses: further values to combine, each at least one, none twice.
        prior: one prior for all.
        model: count, ldp or lldp; metrics are designed one by one.
        radius: of lldp.
        aggregate: expected or worst.

    Raises:
        InputError: for an empty list, too many designs, or two matrix losses, whose rows would look the same.

    >>> SweepGrid.parse("2:8:2,16", alpha="0.5,2/3", properties="none;WH,CM").sizes
    (2, 4, 6, 8, 16)
    """

    sizes: tuple[int, ...]
    alphas: tuple[Fraction, ...]
    property_sets: tuple[frozenset[str], ...] = (frozenset(),)
    losses: tuple[Loss, ...] = (Loss.parse("L0"),)
    prior: Prior = field(default_factory=lambda: Prior.parse("uniform"))
    model: str = "count"
    radius: int | None = None
    aggregate: str = "expected"

    def __post_init__(self) -> None:
        if self.model not in SWEPT:
            raise InputError(f"model must be one of {', '.join(SWEPT)} in a sweep, got model={self.model}")
        if self.radius is None and self.model == "lldp":
            raise InputError("radius must be given for the model lldp, got none")
        if self.radius is not None and self.model != "lldp":
            raise InputError(f"radius goes with the model lldp, got radius={self.radius} with {self.model}")
        for name in ("sizes", "alphas", "property_sets", "losses"):
            values = getattr(self, name)
            if not values:
                raise InputError(f"{name} must have at least one value, got none")
            if len(values) != len(set(values)):
                raise InputError(f"{name} must name each value once, got one twice")
        if sum(loss.table is not None for loss in self.losses) > 1:
            raise InputError("loss must be at most one matrix in a sweep, got several; sweep them one by one")
        if len(self) > MAX_DESIGNS:
            raise InputError(f"a sweep must have at most {MAX_DESIGNS} designs, got {len(self)}; split it")

    @classmethod
    def parse(
        cls,
        sizes: str,
        alpha: str | None = None,
        *,
        epsilon: str | None = None,
        properties: str = "none",
        losses: str | Iterable[Loss] = "L0",
        prior: str | Prior = "uniform",
        model: str = "count",
        radius: int | None = None,
        aggregate: str = "expected",
    ) -> "SweepGrid":
        """A grid from texts: lists and ranges of numbers, sets of properties between semicolons.

        Args:
            sizes: whole numbers, as in `2:8:2,16`: n for counts, k for the local models.
            alpha, epsilon: one of the two, as in `0.5,2/3,0.9` or `0.5:0.9:0.1`.
            properties: sets as `DesignProblem` takes them, `none;WH;WH,RM,CM`.
            losses: `L0,L1`, or `Loss` values.
            prior, aggregate: as `DesignProblem` takes them.
            model, radius: count, ldp, or lldp with a radius.

        Raises:
            InputError: for a value out of range, naming it.
        """
        name = "n" if model == "count" else "k"
        if isinstance(losses, str):
            losses = [Loss.parse(word) for word in losses.split(",")]
        return cls(
            parse_sizes(sizes, name),
            parse_alphas(alpha, epsilon),
            parse_property_sets(properties),
            each_once(losses),
            Prior.parse(prior) if isinstance(prior, str) else prior,
            model,
            radius,
            aggregate,
        )

    def __len__(self) -> int:
        return len(self.sizes) * len(self.alphas) * len(self.property_sets) * len(self.losses)

    def problems(self) -> list[DesignProblem]:
        """Every problem, in the order of the rows.

        Raises:
            InputError: if one of them is unusable (a matrix loss or a table of weights fits one n only).
        """
        return [
            DesignProblem(
                model=model,
                alpha=alpha,
                properties=properties,
                loss=loss,
                prior=self.prior,
                aggregate=self.aggregate,
            )
            for model, alpha, properties, loss in itertools.product(
                [self._model(size) for size in self.sizes], self.alphas, self.property_sets, self.losses
            )
        ]

    def _model(self, size: int) -> Model:
        if self.model == "count":
            return Model.count(size)
        return Model.ldp(size) if self.radius is None else Model.lldp(size, self.radius)


def parse_property_sets(text: str) -> tuple[frozenset[str], ...]:
    """Sets of properties between semicolons; the empty set is written `none`."""
    words = text.split(";")
    if any(not word.strip() for word in words):
        raise InputError(f"props must be sets between semicolons, none for the empty one, got props={text}")
    return each_once(parse_properties(word) for word in words)
