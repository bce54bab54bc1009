"""Models of the inputs: counts, items of a local model, or points of a metric.

A model says which inputs are neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechdesign.arguments import checked
from mechdesign.errors import InputError, shorten
from mechdesign.problem.distances import choose_unit, in_steps, read_distances
from mechdesign.problem.losses.family import Matrix
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.rational import Number, as_rational, fraction_text

MODELS = ("count", "ldp", "lldp", "metric")

MAX_SIZE = 4096
"""Beyond this even the matrix of a closed form is of no use; methods have limits of their own."""


@dataclass(frozen=True)
class Model:
    """The inputs `0 .. size-1` and their neighbours. Made by `count`, `ldp`, `lldp` or `metric`.

    `radius` belongs to lldp; `distances` (rationals) and `unit` to metric.

    >>> Model.lldp(8, 2).graph.n_edges
    13
    """

    name: str
    size: int
    radius: int | None = None
    distances: Matrix | None = None
    unit: Fraction = Fraction(1)

    @classmethod
    @checked
    def count(cls, n: int) -> "Model":
        """Make the model of counts 0..n over n people: neighbours differ by 1."""
        return cls("count", _whole(n, "n", 1, MAX_SIZE - 1) + 1)

    @classmethod
    @checked
    def ldp(cls, k: int) -> "Model":
        """Make the local model of k items: any two are neighbours."""
        return cls("ldp", _whole(k, "k", 2, MAX_SIZE))

    @classmethod
    @checked
    def lldp(cls, k: int, radius: int) -> "Model":
        """Make the limited-precision local model: items up to `radius` apart are neighbours."""
        _whole(k, "k", 2, MAX_SIZE)
        return cls("lldp", k, radius=_whole(radius, "radius", 1, k - 1))

    @classmethod
    @checked
    def metric(cls, distances: Sequence[Sequence[Number]], unit: Number | None = None) -> "Model":
        """Make the model of a matrix of distances, `P[i,j] >= alpha^d(j,l) P[i,l]`.

        Distances are taken in multiples of a unit; `mechdesign.problem.distances` says how it is chosen.
        """
        table = read_distances(distances)
        chosen = choose_unit(table) if unit is None else as_rational(unit, "unit")
        if chosen <= 0:
            raise InputError(f"unit must be positive, got unit={shorten(unit)}")
        in_steps(table, chosen)
        return cls("metric", len(table), distances=table, unit=chosen)

    @cached_property
    def graph(self) -> NeighbourGraph:
        """The graph of neighbouring inputs, with their distances."""
        if self.name == "count":
            return NeighbourGraph.path(self.size)
        if self.name == "ldp":
            return NeighbourGraph.complete(self.size)
        if self.radius is not None:
            return NeighbourGraph.band(self.size, self.radius)
        assert self.distances is not None
        return NeighbourGraph.metric(in_steps(self.distances, self.unit))

    @cached_property
    def is_rounded(self) -> bool:
        """Whether distances were made shorter to fit the unit; a design is then optimal for the shorter ones."""
        if self.distances is None:
            return False
        steps = in_steps(self.distances, self.unit).tolist()
        rows = zip(self.distances, steps, strict=True)
        return any(d != self.unit * s for row, whole in rows for d, s in zip(row, whole, strict=True))

    def describe(self) -> str:
        """Describe the model in a few words, such as `LDP, k = 4`."""
        if self.name == "count":
            return f"n = {self.size - 1}"
        if self.name == "metric":
            return f"metric, k = {self.size}, unit {fraction_text(self.unit)}"
        radius = "" if self.radius is None else f", radius {self.radius}"
        return f"{self.name.upper()}, k = {self.size}{radius}"


def _whole(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise InputError(f"{name} must be an integer of at least {low}, got {name}={value}")
    if value > high:
        raise InputError(f"{name} must be at most {high}, got {name}={value}")
    return value
