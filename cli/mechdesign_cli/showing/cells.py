"""The entries of an audited matrix: their values, and which of them make a claim false."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from mechdesign.audits.audit import SUM_ROUNDING, Audit, breaches_of, graph_of
from mechdesign.audits.matrices import half_units, integer_matrix, open_matrix
from mechdesign.audits.within import Box
from mechdesign.documents.precision import Halves
from mechdesign.documents.storage import StoredMatrix
from mechdesign.mechanism.breaches import certain_breaches
from mechdesign.problem.properties import find_property
from mechdesign.rational import nearest_float

LARGEST_DRAWN = 64
"""Outputs and inputs up to which the entries stand in a document."""

MOST_OFFENCES = 2_000
"""Entries of one claim that are named."""


def drawn_cells(
    found: Audit, stored: StoredMatrix, properties: Iterable[str], alpha: Fraction | None
) -> dict[str, Any]:
    """Return as JSON the entries, and for each fault its name and its entries [output, input].

    `values` is null for a matrix too large to be drawn. Faults are negative entries, columns whose sums differ from 1
    by more than 1e-9, all pairs of neighbours that break `alpha`, the ratio of one step (without one, those that
    make epsilon infinite), and those of each property that does not hold; columns and pairs have a sentence as `text`.
    Where entries are rounded, `rounding` says how many of these that explains; `rounded` are the entries of a fault
    that is explained wherever they have a part in it.
    """
    small = max(found.n_outputs, found.n_inputs) <= LARGEST_DRAWN
    weights, denominator = integer_matrix(open_matrix(stored))
    values = [[nearest_float(Fraction(weight, denominator)) for weight in row] for row in weights] if small else None
    faults = list(_faults(found, weights, denominator, properties, alpha))
    for fault in faults:
        halves = halves_in(found, stored) if small else None
        if halves is None or (fault["name"] == "privacy" and alpha is None):  # no rounding makes up for a 0
            continue
        if fault["name"] == "privacy":
            fault |= _rounding(found, halves, weights, denominator, alpha or Fraction(0))
        else:
            fault["rounded"] = _vanishing(fault, box_of(weights, denominator, halves), weights, denominator)
        if fault["name"] == "columns":
            count, left = (len({j for _, j in cells}) for cells in (fault["cells"], _left(fault)))
            fault["rounding"] = _rounding_text(count, left, _explaining(found))
    return {"values": values, "faults": faults}


def halves_in(found: Audit, stored: StoredMatrix) -> Halves | None:
    """Return how far each entry may be off: by the tolerance if one was given, else by its rounding; None if exact."""
    if found.within is None:
        return None
    tolerance = found.within.tolerance
    return half_units(stored) if tolerance is None else [[tolerance] * found.n_inputs] * found.n_outputs


def box_of(weights: list[list[int]], denominator: int, halves: Halves) -> Box:
    """Return the matrices so near to one of integers over a denominator."""
    return Box([[Fraction(weight, denominator) for weight in row] for row in weights], halves)


def _vanishing(fault: dict[str, Any], box: Box, weights: list[list[int]], denominator: int) -> list[list[int]]:
    """List the entries of a fault, other than of privacy, that vanishes within the box wherever they are part of it."""
    name, size = fault["name"], len(weights)
    if name == "negative":
        return [[i, j] for i, j in fault["cells"] if box.high[i][j] >= 0]
    if name == "columns":
        kept = set(box.improbable_columns)
        return [[i, j] for i, j in fault["cells"] if j not in kept]
    prop = find_property(name)
    low, high = ([value for row in side for value in row] for side in (box.low, box.high))
    offences = prop.offences(weights, denominator)
    certain = {divmod(entry, size) for one in offences if not prop.vanishes(one, low, high) for entry in one}
    return [[i, j] for i, j in fault["cells"] if (i, j) not in certain]


def _rounding(
    found: Audit, halves: Halves, weights: list[list[int]], denominator: int, step: Fraction
) -> dict[str, Any]:
    """Say which pairs break `step` by the rounding of their entries alone, or within the tolerance that was given."""
    scaled = [[half * denominator for half in row] for row in halves]
    broken = breaches_of(weights, found.own, step, found.model)
    certain = certain_breaches(weights, scaled, graph_of(found.model, found.n_inputs), step)
    kept = {(i, place) for i, *places in certain for place in places}
    return {
        "rounded": [list(cell) for cell in broken.cells if cell not in kept],
        "rounding": _rounding_text(broken.count, len(certain), _explaining(found)),
    }


def _left(fault: dict[str, Any]) -> list[list[int]]:
    """List the entries of a fault that rounding does not explain."""
    return [cell for cell in fault["cells"] if cell not in fault["rounded"]]


def _explaining(found: Audit) -> str:
    return "The tolerance" if found.within is not None and found.within.tolerance else "The rounding of the file"


def _rounding_text(count: int, left: int, within: str) -> str:
    """Say how many of so many pairs are explained, where so many are left."""
    if count == 1:
        return f"{within} {'does not explain' if left else 'explains'} it."
    if not left:
        return f"{within} explains {'both' if count == 2 else f'each of these {count:,}'}, taken alone."
    gone = (
        f"{count - left:,} of these {count:,}, taken alone, but not the rest"
        if left < count
        else f"none of these {count:,}"
    )
    return f"{within} explains {gone}."


def _columns_text(wrong: list[int], n_inputs: int) -> str:
    """Say how many columns do not sum to 1, and which one by its number, if it is alone."""
    return (
        f"Column {wrong[0]} does not sum to 1"
        if len(wrong) == 1
        else f"{len(wrong)} of {n_inputs} columns do not sum to 1"
    )


def _faults(
    found: Audit, weights: list[list[int]], denominator: int, properties: Iterable[str], alpha: Fraction | None
) -> Iterator[dict[str, Any]]:
    if found.negative:
        yield {"name": "negative", "cells": [list(place) for place in found.negative[:MOST_OFFENCES]]}
    if wrong := [j for j, error in found.column_errors if abs(error) > SUM_ROUNDING]:
        whole = [[i, j] for j in wrong for i in range(found.n_outputs)][:MOST_OFFENCES]
        yield {"name": "columns", "cells": whole, "text": _columns_text(wrong, found.n_inputs)}
    own, step = found.own, alpha or Fraction(0)
    if own.output is not None and (own.alpha is None or own.alpha < step**own.length):
        broken = breaches_of(weights, own, step, found.model)
        pairs = [list(cell) for cell in broken.cells[:MOST_OFFENCES]]
        yield {"name": "privacy", "cells": pairs, "text": broken.describe()}
    for name in sorted(set(properties) - set(found.holds)) if found.scores else ():
        offences = find_property(name).offences(weights, denominator)
        cells = sorted({divmod(entry, len(weights)) for entries in offences for entry in entries})
        yield {"name": name, "cells": [list(cell) for cell in cells[:MOST_OFFENCES]]}
