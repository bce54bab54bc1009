"""Grids of designs: every n with every alpha, every set of properties and every loss."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from mechdesign.errors import InputError, argument, shorten
from mechdesign.laws.problem import LawOfSize, LawProblem
from mechdesign.mechanism.layered import LARGEST_MATRIX
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import parse_properties
from mechdesign.rational import Number
from mechdesign.sweeps.ranges import each_once, parse_privacies, parse_sizes

Sizes = int | str | Iterable[int]
Alphas = Number | Iterable[Number]
PropertySets = str | Iterable[str | Iterable[str]]
Losses = str | Loss | Iterable[str | Loss]

SWEPT = ("count", "ldp", "lldp")
MAX_DESIGNS = 10_000
"""Most designs in one sweep: a typing slip such as 2:64:0.001 should not start a year of work."""


@dataclass(frozen=True)
class SweepGrid:
    """The combinations of sizes, privacies, sets of properties and losses.

    Sizes vary slowest.

    Args:
        sizes: n for counts, k for the local models.
        privacies, property_sets, losses: further values to combine, each at least one, none twice.
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
    privacies: tuple[Privacy, ...]
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
        for name in ("sizes", "privacies", "property_sets", "losses"):
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
        sizes: Sizes,
        alpha: Alphas | None = None,
        *,
        epsilon: Alphas | None = None,
        properties: PropertySets = "none",
        losses: Losses = "L0",
        prior: str | Prior = "uniform",
        model: str = "count",
        radius: int | None = None,
        aggregate: str = "expected",
    ) -> "SweepGrid":
        """Parse a grid from texts or values: lists and ranges of numbers, sets of properties between semicolons.

        Args:
            sizes: whole numbers, as in `2:8:2,16` or `range(2, 9)`: n for counts, k for the local models.
            alpha, epsilon: one of the two, as in `0.5,2/3,0.9`, `0.5:0.9:0.1` or `["1/2", 0.9]`.
            properties: sets as `DesignProblem` takes them, `none;WH;WH,RM,CM` or `["none", "WH"]`.
            losses: `L0,L1`, a `Loss`, or several of either.
            prior, aggregate: as `DesignProblem` takes them.
            model, radius: count, ldp, or lldp with a radius.

        Raises:
            InputError: for a value out of range, naming it.
        """
        return cls(
            parse_sizes(sizes, "n" if model == "count" else "k"),
            parse_privacies(alpha, epsilon),
            parse_property_sets(properties),
            parse_losses(losses),
            Prior.parse(prior) if isinstance(prior, str) else prior,
            model,
            radius,
            aggregate,
        )

    def __len__(self) -> int:
        return len(self.sizes) * len(self.privacies) * len(self.property_sets) * len(self.losses)

    def problems(self) -> list[DesignProblem | LawOfSize]:
        """Make every problem, in the order of the rows; beyond 4095 people only a law can solve it.

        Raises:
            InputError: if one of them is unusable (a matrix loss or a table of weights fits one n only).
        """
        combined = itertools.product(self.sizes, self.privacies, self.property_sets, self.losses)
        models = {size: None if self._is_beyond_matrices(size) else self._model(size) for size in self.sizes}
        return [self._problem(models[n], n, privacy, properties, loss) for n, privacy, properties, loss in combined]

    def _is_beyond_matrices(self, size: int) -> bool:
        if self.model != "count" or size <= LARGEST_MATRIX:
            return False
        if self.prior.name != "uniform":
            raise InputError(f"n must be at most {LARGEST_MATRIX} with a prior, got n={size}")
        return True

    def _problem(
        self, model: Model | None, size: int, privacy: Privacy, properties: frozenset[str], loss: Loss
    ) -> DesignProblem | LawOfSize:
        if model is None:
            return LawOfSize(LawProblem(privacy, properties, loss, self.aggregate), size)
        return DesignProblem(
            model=model, privacy=privacy, properties=properties, loss=loss, prior=self.prior, aggregate=self.aggregate
        )

    def _model(self, size: int) -> Model:
        if self.model == "count":
            return Model.count(size)
        return Model.ldp(size) if self.radius is None else Model.lldp(size, self.radius)


def choose_sizes(model: str, n: Sizes | None, k: Sizes | None) -> Sizes:
    """Choose the sizes by the name that the model has for them: n people for counts, k items for the local models.

    Raises:
        InputError: for a model that is not swept, a size under the wrong name, or none.
    """
    if model not in SWEPT:
        raise InputError(f"model must be one of {', '.join(SWEPT)} in a sweep, got model={model}")
    wanted, other = (("n", n), ("k", k)) if model == "count" else (("k", k), ("n", n))
    if other[1] is not None:
        raise InputError(f"{other[0]} must be {wanted[0]} for the model {model}, got {other[0]}={other[1]}")
    if wanted[1] is None:
        raise InputError(f"{wanted[0]} must be given for the model {model}, got none")
    return wanted[1]


def parse_property_sets(sets: PropertySets) -> tuple[frozenset[str], ...]:
    """Parse sets of properties between semicolons, or several sets; the empty one is written `none`."""
    words = sets.split(";") if isinstance(sets, str) else list(sets)
    if any(isinstance(word, str) and not word.strip() for word in words):
        raise InputError(f"props must be sets separated by semicolons, none for the empty set, got props={sets}")
    if isinstance(sets, str) and (meant := _separated(sets)) != sets:
        raise InputError(
            f"props must separate sets by semicolons, got props={shorten(sets)}; write {argument('props')} '{meant}'"
        )
    return each_once(parse_properties(word) for word in words)


def _separated(sets: str) -> str:
    """Put semicolons for commas in what cannot be one set, since `none` is one by itself."""
    words = [(text, [name.strip().lower() for name in text.split(",")]) for text in sets.split(";")]
    return ";".join(text.replace(",", ";") if "none" in names and len(names) > 1 else text for text, names in words)


def parse_losses(losses: Losses) -> tuple[Loss, ...]:
    """Parse losses between commas, or take one or several as they are."""
    if isinstance(losses, Loss):
        return (losses,)
    words = losses.split(",") if isinstance(losses, str) else losses
    return each_once(Loss.parse(word) if isinstance(word, str) else word for word in words)
