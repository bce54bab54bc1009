"""The problem of a formula: one of design, for every alpha."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechdesign.errors import InputError
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy
from mechdesign.verify.formulas import LARGEST_SIZE

PLACE = Fraction(1, 2)
"""The alpha of a problem that stands for those of every alpha."""


@dataclass(frozen=True)
class FormulaProblem:
    """A design problem without its alpha.

    Attributes:
        at_place: the problem at one alpha, that says all else.
    """

    at_place: DesignProblem

    @classmethod
    def stated(cls, **stated: Any) -> "FormulaProblem":
        """State a problem in the words of `DesignProblem`.

        Raises:
            InputError: for a privacy parameter, and what no formula serves.
        """
        for name in ("alpha", "epsilon", "privacy", "step"):
            if stated.pop(name, None) is not None:
                raise InputError(f"{name} must be left out: a formula holds for every alpha; ask it for one alpha")
        model = stated.pop("model", None)
        if isinstance(model, Model):
            stated["model"] = _in_whole_steps(model)
        elif model is not None:
            stated["model"] = model
        problem = DesignProblem(alpha=PLACE, **stated)
        if problem.size > LARGEST_SIZE:
            name = "n" if problem.model.name == "count" else "k"
            most = LARGEST_SIZE - (name == "n")
            raise InputError(f"{name} must be at most {most} for a formula, got {name}={problem.size - (name == 'n')}")
        return cls(problem)

    def at(self, alpha: Fraction) -> DesignProblem:
        """Return the problem at one alpha."""
        return self.at_place.with_privacy(Privacy(alpha))

    def with_properties(self, properties: Iterable[str]) -> "FormulaProblem":
        """Return the problem with other properties."""
        return FormulaProblem(replace(self.at_place, properties=frozenset(properties)))

    def describe(self) -> str:
        """Describe the problem in one line."""
        return self.at_place.describe_at("every alpha")


def _in_whole_steps(model: Model) -> Model:
    """Return a metric with the unit 1, and other models as they are.

    Raises:
        InputError: for distances that are not whole: alpha^d is then no rational function of alpha.
    """
    if model.distances is None:
        return model
    lengths = [[model.unit * int(steps) for steps in row] for row in model.graph.distances.tolist()]
    if any(length.denominator != 1 for row in lengths for length in row):
        raise InputError("distances must be whole for a formula, got one that is not; multiply them all")
    return replace(model, distances=tuple(map(tuple, lengths)), unit=Fraction(1))
