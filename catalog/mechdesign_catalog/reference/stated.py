"""Statements of a task's document about an oracle, and what follows from its numbers."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod
from types import SimpleNamespace
from typing import Any

from mechdesign.errors import InputError
from mechdesign.rational import fraction_from_text, integer_from_text

Items = Sequence[int]

RATIONAL = {"alpha", "p", "q", "kept", "turned", "maximum", "variance", "precision"}
RATIONAL |= {"held", "named", "scale", "pull", "base", "slope"}
WHOLE = {"denominator", "weights", "prior"}
"""Constants that are texts, or lists of texts, of rationals and of whole numbers."""


class Stated(SimpleNamespace):
    """An oracle as a document states it: its name `oracle`, its number of items `k`, and its constants by their names.

    The constants of a document state oracles that are parts of others in the same way.
    """


def stated_oracle(document: Mapping[str, Any]) -> Stated:
    """Return what the document of a task, as JSON has it, states of the oracle: its parameters and its constants."""
    found = Stated(**{**document["parameters"], **vars(_parsed("constants", document["constants"]))})
    if "domains" in document["parameters"]:
        found.domains = [int(items) for items in found.domains.split(",")]
    if "sides" in document["parameters"]:
        found.sides = [int(items) for items in found.sides.split("x")]
    return found


def _parsed(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Stated(**{key: _parsed(key, one) for key, one in value.items()})
    if isinstance(value, list):
        return [_parsed(name, one) for one in value]
    if name in RATIONAL:
        return fraction_from_text(value, name)
    return integer_from_text(value, name) if name in WHOLE and isinstance(value, str) else value


def require_value(oracle: Stated, value: object) -> None:
    """Refuse a value that no user has, without telling it.

    Raises:
        InputError: for anything but a number of an item, or one for each attribute.
    """
    if not hasattr(oracle, "domains"):
        _require_item(value, oracle.k, "value")
        return
    if not isinstance(value, tuple) or len(value) != len(oracle.domains):
        raise InputError(f"value must be {len(oracle.domains)} whole numbers, got another")
    for number, (item, k) in enumerate(zip(value, oracle.domains, strict=True), start=1):
        _require_item(item, k, f"value of attribute {number}")


def _require_item(value: object, k: int, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < k:
        raise InputError(f"{name} must be a whole number in 0..{k - 1}, got another")


def parity(number: int) -> int:
    """Return 1 where the binary form has an odd number of ones; `parity(a & b)` is that of what both have in common."""
    return number.bit_count() & 1


def cell_of(domains: Items, subset: Items, value: Items) -> int:
    """Number the cell of some attributes that a user is in, the last attribute changing fastest."""
    cell = 0
    for i in subset:
        cell = cell * domains[i] + value[i]
    return cell


def tables_of(oracle: Stated) -> list[Stated]:
    """Return the oracle of each set's table: that with as many items as the table has cells."""
    by_cells = {table.k: table for table in oracle.tables}
    return [by_cells[prod(oracle.domains[i] for i in subset)] for subset in oracle.sets]


def functions_of(oracle: Stated) -> list[Stated]:
    """Return the functions of each attribute."""
    by_items = {functions.items: functions for functions in oracle.functions}
    return [by_items[items] for items in oracle.domains]


def starts_of(oracle: Stated) -> list[int]:
    """Return the first coefficient of each set of attributes, and then the number of all coefficients."""
    counts = [len(functions.weights) for functions in functions_of(oracle)]
    return list(accumulate((prod(counts[i] for i in subset) for subset in oracle.sets), initial=0))
