"""The linear program of a problem for symbolic alpha, rebuilt from the problem alone.

Properties and losses are those of `mechdesign.verify.kernel`, which says where a kind has a row.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Any

from .. import kernel
from ..document import (
    ASKED,
    aim_words,
    band,
    edges_of,
    read_inputs,
    read_loss,
    read_prior,
    read_properties,
    rescaling,
    shortest_paths,
    table_keys,
)
from ..texts import UnreadableError, entries, items, shown, whole
from .work import longest

OF_MODEL = {"count": ("n",), "ldp": ("k",), "lldp": ("k", "radius"), "metric": ("k", "lengths")}
LARGEST_SIZE, LONGEST_EDGE = 64, 256
LEAST, ABOVE = "LEAST", "ABOVE"
"""Kinds of rows with the least of some entries of a row of the matrix."""

Place = tuple[int, int, int, int]


@dataclass(frozen=True)
class Program:
    """The least score of all matrices that meet the demands of a problem, alpha being a variable.

    Attributes:
        words: for the problem.
        size: inputs, and outputs.
        lengths: of edges, by their inputs in either order.
        reach: how far apart inputs are neighbours at length 1; 0 for models without rows of least entries.
        properties: that are asked.
        loss, loss_denominator: of output i on input j.
        prior: None for the worst case.
        rescaling: what a loss is multiplied by to give the score.
    """

    words: str
    size: int
    lengths: dict[tuple[int, int], int]
    reach: int
    properties: tuple[str, ...]
    loss: list[list[int]]
    loss_denominator: int
    prior: list[Fraction] | None
    rescaling: Fraction

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of rows that may have multipliers."""
        local = (LEAST, ABOVE) if self.reach else ()
        return frozenset(("DP", *local, *(name.partition(":")[0] for name in self.properties))) - {kernel.ROTATION}

    @property
    def has_rotation(self) -> bool:
        """Whether S is asked."""
        return kernel.ROTATION in self.properties

    @cached_property
    def floor(self) -> Fraction:
        """What each diagonal entry must be at least."""
        floors = (kernel.floor_factor(name) for name in self.properties if name.partition(":")[0] == kernel.FLOOR)
        return Fraction(*next(floors, (0, 1))) / self.size

    @cached_property
    def beta(self) -> Fraction:
        """The factor of OS."""
        return Fraction(
            *next(
                (kernel.smoothness(name) for name in self.properties if name.partition(":")[0] == kernel.SMOOTH), (1, 1)
            )
        )

    @cached_property
    def cost(self) -> tuple[list[list[int]], int]:
        """`c[i][j]` as integers over a denominator: of the worst case the loss alone, which its prior multiplies."""
        if self.prior is None:
            return self.loss, self.loss_denominator
        common = lcm(*(weight.denominator for weight in self.prior))
        prior = [int(weight * common) for weight in self.prior]
        return kernel.expected_cost(self.loss, self.loss_denominator, prior, common)

    @cached_property
    def bits(self) -> int:
        """Bits of the longest number of the costs and factors."""
        cost, unit = self.cost
        return unit.bit_length() + longest(cost) + sum(x.denominator.bit_length() for x in (self.floor, self.beta))

    def ratio(self, kind: str, place: Place) -> tuple[Fraction, int] | None:
        """Return (r, d) of a row `P[i,j] >= r a^d P[k,h]`, r being 0 for WH; None where there is no such row.

        For LEAST and ABOVE, P[k,h] stands for the least entry of a range of inputs.
        """
        _, j, k, h = place
        if kind not in self.kinds or not all(0 <= x < self.size for x in place):
            return None
        if kind in (LEAST, ABOVE):
            return (Fraction(1), int(kind == ABOVE)) if k <= j <= h and 0 < h - k <= self.reach else None
        length = self.lengths.get((j, h), 0)
        if not kernel.has_row(kind, place, length, self.size - 1):
            return None
        factor = self.beta if kind == kernel.SMOOTH else Fraction(kind != kernel.FLOOR)
        return factor, length if kind == "DP" else 0

    @cached_property
    def rows(self) -> tuple[tuple[str, Place, Fraction, int], ...]:
        """Every row (kind, place, r, d) that a matrix must meet, but floors: privacy and properties."""
        every, last = range(self.size), self.size - 1
        places: list[tuple[str, Place]] = [("DP", (i, j, i, h)) for i in every for j, h in self.lengths]
        for kind in sorted(self.kinds - {"DP", LEAST, ABOVE, kernel.FLOOR}):
            pairs = ((i, j, k, h) for i, j, k, h in product(every, repeat=4) if i != k or j != h)
            places += [(kind, place) for place in pairs if kernel.has_row(kind, place, 0, last)]
        stated = ((kind, place, self.ratio(kind, place)) for kind, place in places)
        return tuple((kind, place, *ratio) for kind, place, ratio in stated if ratio is not None)


def read_program(value: object) -> Program:
    """Read the problem of a formula.

    Raises:
        UnreadableError: saying what is none.
    """
    if not isinstance(value, dict):
        raise UnreadableError(f"problem must be a JSON object, got {shown(value)}")
    model = value.get("model")
    if type(model) is not str or model not in OF_MODEL:
        raise UnreadableError(f"model must be one of {', '.join(OF_MODEL)}, got {shown(model)}")
    asked = [key for key in ASKED if key not in ("alpha", "epsilon")]
    entry = entries(value, "problem", (*asked, *OF_MODEL[model], *table_keys(value)))
    size, reach, words, lengths = _inputs(model, entry)
    loss, loss_denominator = read_loss(entry, size)
    properties = read_properties(entry["properties"])
    for name in properties:
        if name != kernel.ROTATION and name.partition(":")[0] not in kernel.KINDS:
            raise UnreadableError(f"a formula must have properties that rows state, got {shown(name)}")
    return Program(
        f"{words}, every alpha, {', '.join(properties) or 'no properties'}, {aim_words(entry)}",
        size,
        lengths,
        reach,
        properties,
        loss,
        loss_denominator,
        read_prior(entry, size),
        rescaling(entry["loss"], size),
    )


def _inputs(model: str, entry: dict[str, Any]) -> tuple[int, int, str, dict[tuple[int, int], int]]:
    """Return size, reach, words and lengths of edges."""
    if model == "metric":
        table = _read_lengths(entry)
        size, radius, words = len(table), 0, f"{len(table)} points of a metric"
        edges = edges_of(table)
    else:
        size, radius, words = read_inputs(model, entry)
        edges = None
    if size > LARGEST_SIZE:
        raise UnreadableError(f"a formula must be for at most {LARGEST_SIZE} inputs, got {size}")
    if edges is None:
        edges = band(size, radius or size - 1) or [(j, h, 1) for h in range(size) for j in range(h)]
    lengths = {pair: d for j, h, d in edges for pair in ((j, h), (h, j))}
    return size, radius if model in ("ldp", "lldp") else 0, words, lengths


def _read_lengths(entry: dict[str, Any]) -> list[list[int]]:
    size = len(entry["lengths"]) if isinstance(entry["lengths"], list) else 0
    if not 2 <= size <= LARGEST_SIZE:
        raise UnreadableError(f"lengths must be for 2 to {LARGEST_SIZE} points, got {size}")
    whole(entry["k"], "k", size, size)
    found = items(
        entry["lengths"],
        "lengths",
        lambda row, name: items(row, name, lambda value, key: whole(value, key, 0, LONGEST_EDGE), size),
        size,
    )
    if any(row[j] for j, row in enumerate(found)) or any(row.count(0) > 1 for row in found):
        raise UnreadableError("lengths must be 0 on the diagonal alone and positive elsewhere")
    if found != [list(column) for column in zip(*found, strict=True)]:
        raise UnreadableError("lengths must be symmetric")
    if shortest_paths(found) != found:
        raise UnreadableError("lengths must satisfy the triangle inequality")
    return found
