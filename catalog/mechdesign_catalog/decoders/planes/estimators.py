"""Estimators on pairs of levels: constrained inference over trees, and Haar contrasts."""

import numpy as np

from mechdesign_catalog.decoders.contrasts.side import Side
from mechdesign_catalog.decoders.planes.inference import eigenvalues
from mechdesign_catalog.decoders.planes.rectangle_sums import Scores
from mechdesign_catalog.randomizers.reports.probabilities import Floats


def tree_scores(sides: tuple[Side, Side], weights: Floats) -> Scores:
    """State constrained inference by the weights of the pairs of heights; that of the two roots is not read."""
    weights = weights.copy()
    weights[-1, -1] = 0.0
    nodes = np.outer(sides[0].widths, sides[1].widths)
    spread = 1 / eigenvalues(sides, weights)
    spread[-1, -1] = 0.0  # the total is known
    return Scores(weights * nodes, spread, 1 / nodes, nested=True)


def haar_scores(sides: tuple[Side, Side]) -> Scores:
    """State the Haar estimator: each pair of contrasts is its own, all but that of the two constants, known."""
    scale = np.ones((sides[0].rows, sides[1].rows))
    scale[-1, -1] = 0.0
    return Scores(scale, np.ones_like(scale), 1 / np.outer(sides[0].spans, sides[1].spans), nested=False)
