"""The entries of an audited matrix: their values, and which of them make a claim false."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from mechdesign.audits.audit import SUM_ROUNDING, Audit, breaches_of
from mechdesign.audits.matrices import integer_matrix, open_matrix
from mechdesign.documents.storage import StoredMatrix
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
    by more than rounding, all pairs of neighbours that break `alpha`, the ratio of one step (without one, those that
    make epsilon infinite), with a sentence as `text`, and those of each property that does not hold.
    """
    small = max(found.n_outputs, found.n_inputs) <= LARGEST_DRAWN
    weights, denominator = integer_matrix(open_matrix(stored))
    values = [[nearest_float(Fraction(weight, denominator)) for weight in row] for row in weights] if small else None
    return {"values": values, "faults": list(_faults(found, weights, denominator, properties, alpha))}


def _faults(
    found: Audit, weights: list[list[int]], denominator: int, properties: Iterable[str], alpha: Fraction | None
) -> Iterator[dict[str, Any]]:
    if found.negative:
        yield {"name": "negative", "cells": [list(place) for place in found.negative[:MOST_OFFENCES]]}
    if wrong := [j for j, error in found.column_errors if abs(error) > SUM_ROUNDING]:
        yield {"name": "columns", "cells": [[i, j] for j in wrong for i in range(found.n_outputs)][:MOST_OFFENCES]}
    own, step = found.own, alpha or Fraction(0)
    if own.output is not None and (own.alpha is None or own.alpha < step**own.length):
        broken = breaches_of(weights, own, step, found.model)
        pairs = [list(cell) for cell in broken.cells[:MOST_OFFENCES]]
        yield {"name": "privacy", "cells": pairs, "text": broken.describe()}
    for name in sorted(set(properties) - set(found.holds)) if found.scores else ():
        offences = find_property(name).offences(weights, denominator)
        cells = sorted({divmod(entry, len(weights)) for entries in offences for entry in entries})
        yield {"name": name, "cells": [list(cell) for cell in cells[:MOST_OFFENCES]]}
