"""The delta method: standard errors of ratios and products of answers.

A linear system answers `sum_v w_v x_v` for any weights w, where x are its estimated shares, without bias and with a
known variance. For a smooth function F of the shares, `F(x) - F(f) = g.(x - f) + ...` with the gradient g of F, so
that the variance of F(x) is, but for terms of higher order, that of the answer to the query with the weights g:
covariances within a report and between levels are in it exactly. F(x) itself is not unbiased, by terms of the order
of the variance.
"""

import numpy as np
from numpy.typing import NDArray

from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.decoders.decoder import Decoder
from mechdesign_catalog.randomizers.reports.probabilities import Floats
from mechdesign_catalog.randomizers.reports.reports import State


def delta_errors(decoder: Decoder, state: State, gradients: Floats) -> Floats:
    """Compute the standard error for each row of gradients, shape (q, k); returns shape (q,).

    It is that for the users as they are, whose values are fixed.
    """
    return np.asarray(np.sqrt(decoder.estimated_variance(state, LinearQueries(np.atleast_2d(gradients)))))


def consistent_estimates(decoder: Decoder, state: State) -> Floats:
    """Return the estimated shares of the items, shape (k,), of an oracle whose answers are sums of these.

    Raises:
        InputError: where they are not, as for `hh` with estimate=raw: a sum of its items has more noise than its
        answer.
    """
    decoder.oracle.require_sums()
    return decoder.estimate(state)


def two_halves(marks: NDArray[np.int64], items: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Put a mark 0 or 1 beside an item of 0..count-1: the number `mark count + item` of one domain of 2 count items.

    Ranges of items with one mark are ranges of the domain, and a tree over it tells marks apart at the top.
    """
    return np.asarray(marks * count + items)
