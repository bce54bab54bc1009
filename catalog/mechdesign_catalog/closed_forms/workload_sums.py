"""Sums of `rectangle_sums` over a product of workloads, at equal shares.

They are taken over all rectangles.

Everything is a sum of products of a number of the rows and one of the columns, so a workload of 10^12 rectangles takes
no longer than one of ten.
"""

from dataclasses import dataclass

import numpy as np

from mechdesign_catalog.decoders.contrasts.side_energies import SideEnergies
from mechdesign_catalog.decoders.planes.rectangle_sums import Scores, noise_squares
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True, eq=False)
class WorkloadSums:
    """Sums over all queries for each pair of heights, shape (rows, rows).

    `squares` of `sum u^2` over nodes, `square_answers` of the mean of `u^2` over users, `squared_answers` of the
    squared mean of u.
    """

    squares: Floats
    square_answers: Floats
    squared_answers: Floats


def workload_sums(scores: Scores, rows: SideEnergies, columns: SideEnergies) -> WorkloadSums:
    """Add up over the products of all queries on rows and all on columns."""
    squares = noise_squares(scores, (rows.lengths[:, None], columns.lengths[:, None]))[:, :, 0]
    return WorkloadSums(
        squares,
        _paired(scores, rows.products, columns.products),
        _paired(scores, rows.means, columns.means),
    )


def _paired(scores: Scores, rows: Floats, columns: Floats) -> Floats:
    """Sums of `u u'` for each pair of heights, from sums of products of contrasts on both sides."""
    if not scores.nested:
        alone: Floats = (scores.scale * scores.spread) ** 2 * np.outer(np.diag(rows), np.diag(columns))
        return alone
    found = np.zeros_like(scores.scale)
    for a, b in np.argwhere(scores.scale):
        spread = scores.spread[a:, b:]
        found[a, b] = scores.scale[a, b] ** 2 * np.sum(rows[a:, a:] @ spread @ columns[b:, b:] * spread)
    return found
