"""The text of a workload design, which travels among the parameters of its reports."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechdesign.documents.json_text import parse_json
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.rational import fraction_from_text, fraction_text, integer_from_text, integer_text
from mechdesign.workloads.matrix import MatrixWorkload
from mechdesign.workloads.registry import parse_named_workload
from mechdesign.workloads.workload import Workload

MOST_ENTRIES = 1 << 24
"""Entries of all rows together: 16384 rows of 1024 items."""

LONGEST_NUMBER = 1 << 12
"""Bits of a weight."""

LONGEST_TEXT = 1 << 25

KEYS = ("alpha", "denominator", "prior", "rows", "weights", "workload")
QUERIES = "queries"


@dataclass(frozen=True)
class UsedDesign:
    """The used part of a design: its rows, the prior of the best estimates, the workload.

    Args:
        mechanism: the rows with their weights.
        prior: a whole number for each item, none below 0, not all 0: the shares for which estimates have the least
            variance. They are unbiased whatever the shares are.
        workload: the queries that it was designed for.

    Raises:
        InputError: for numbers of items that differ, or more rows than are used.
    """

    mechanism: RowMechanism
    prior: tuple[int, ...]
    workload: Workload

    def __post_init__(self) -> None:
        k, rows = self.mechanism.k, self.mechanism.n_outputs
        if self.workload.k != k:
            raise InputError(f"workload must be on the {k} items of the rows, got one on {self.workload.k}")
        if len(self.prior) != k or any(part < 0 for part in self.prior) or not any(self.prior):
            raise InputError(f"prior must be {k} whole numbers, none below 0 and not all 0, got {shorten(self.prior)}")
        bits = max(map(int.bit_length, (self.mechanism.denominator, *self.prior)))
        if rows * k > MOST_ENTRIES or bits > LONGEST_NUMBER:
            raise InputError(
                f"rows must have at most {MOST_ENTRIES} entries, and weights {LONGEST_NUMBER} bits, got "
                f"{rows} x {k} and {bits} bits"
            )

    def text(self) -> str:
        """Write it in lowest terms: weights and denominator without a common divisor, the prior alike."""
        made = self.mechanism
        common, shared = math.gcd(made.denominator, *made.weights), math.gcd(*self.prior)
        text: dict[str, Any] = {
            "alpha": fraction_text(made.alpha),
            "denominator": integer_text(made.denominator // common),
            "prior": [integer_text(part // shared) for part in self.prior],
            "rows": list(made.rows),
            "weights": [integer_text(weight // common) for weight in made.weights],
            "workload": self.workload.name,
        }
        if isinstance(self.workload, MatrixWorkload):
            text[QUERIES] = [
                [fraction_text(Fraction(int(number), self.workload.denominator)) for number in row]
                for row in self.workload.integers
            ]
        return json.dumps(text, separators=(",", ":"))

    @classmethod
    def parse(cls, text: object) -> "UsedDesign":
        """Read what `text` wrote.

        Raises:
            InputError: in one line, for anything else.
        """
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            raise InputError(f"design must be a JSON text of at most {LONGEST_TEXT} letters, got {shorten(text)}")
        data: Any = parse_json(text, "the parameters of workload-design")
        if not isinstance(data, dict) or set(data) - {QUERIES} != set(KEYS):
            raise InputError(f"design must have {', '.join(KEYS)}, got {shorten(text)}")
        for name in ("prior", "rows", "weights"):
            if not isinstance(data[name], list):
                raise InputError(f"{name} must be a list of texts, got {shorten(data[name])}")
        mechanism = RowMechanism(
            fraction_from_text(data["alpha"], "alpha"),
            tuple(data["rows"]),
            tuple(integer_from_text(weight, "weights") for weight in data["weights"]),
            integer_from_text(data["denominator"], "denominator"),
        )
        prior = tuple(integer_from_text(part, "prior") for part in data["prior"])
        return cls(mechanism, prior, _workload(data["workload"], data.get(QUERIES), mechanism.k))


def item_prior(groups: Sequence[Sequence[int]], prior: Sequence[int]) -> tuple[int, ...]:
    """Share out the prior of groups of items evenly among the items of each, in whole numbers.

    >>> item_prior([(0, 2), (1,)], (2, 1))
    (1, 1, 1)
    """
    common = math.lcm(*map(len, groups))
    found = [0] * sum(map(len, groups))
    for group, part in zip(groups, prior, strict=True):
        for item in group:
            found[item] = part * common // len(group)
    shared = math.gcd(*found) or 1
    return tuple(part // shared for part in found)


def _workload(name: object, queries: object, k: int) -> Workload:
    """Make the workload of a name; where its weights are from a file, they stand beside it."""
    if not isinstance(name, str):
        raise InputError(f"workload must be a text, got {shorten(name)}")
    if queries is None:
        return parse_named_workload(name, k)
    if not isinstance(queries, list) or not all(isinstance(row, list) for row in queries):
        raise InputError(f"queries must be rows of fractions written as texts, got {shorten(queries)}")
    rows = [[fraction_from_text(weight, "queries") for weight in row] for row in queries]
    found = MatrixWorkload.of(rows, name.rpartition("@")[0])
    if found.name != name:
        raise InputError(f"workload must be the one that is named, got other weights beside {shorten(name)}")
    return found
