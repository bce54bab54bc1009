"""The mean and the variance of numbers that were reported in bins."""

import numpy as np

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.workloads.queries import LinearQueries
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate
from mechdesign_catalog.datasets.items.bins import Bins, Grid, ItemDomain
from mechdesign_catalog.decoders.decoder import NORM
from mechdesign_catalog.decoders.estimate import INTERVALS, Estimate, Rows
from mechdesign_catalog.randomizers.reports.probabilities import Floats

MIDDLE, START = PLACES = ("middle", "start")
"""Where in its bin a value is taken to be."""

MOMENTS = ("mean", "variance")
MOMENT_COLUMNS = ("estimate", "standard_error", *INTERVALS, "confidence", "post")


def moments(estimate: FrequencyEstimate | WorkloadEstimate, at: str = MIDDLE) -> Estimate:
    """Estimate the mean and the variance of the users' numbers, as rows of an estimate.

    With x_v the number that the values of bin v count as, the mean m is the answer to the query with the weights x_v,
    and the variance that to the query with the weights `(x_v - m)^2`. The mean is unbiased, and its standard error
    exact at the estimated shares. The standard error e of the variance is that of its query, m held at its estimate
    (delta method): it has the exact covariance of mean and mean square. Since `E (m - true mean)^2 = e(m)^2`, that
    square is added to the variance, which is unbiased so.

    The bins have a width h. A value is off by at most h/2 where it counts as the middle of its bin, and by less than h
    where it counts as its start; so is the mean. A standard deviation is off by at most h/2 both ways.

    Args:
        estimate: what `aggregate` returned for numbers in bins.
        at: `"middle"` of its bin, or `"start"`, which is exact for whole numbers in bins of 1.

    Returns:
        An estimate of two rows, `mean` and `variance`, in units of the numbers and their squares. The variance is that
        of the users as they are, divided by their number.

    Raises:
        InputError: for items that are no bins of numbers, another place, or reports of a design that do not tell this.

    >>> from mechdesign_catalog.collection.servers.aggregating import aggregate
    >>> from mechdesign_catalog.collection.clients.privatizing import privatize
    >>> estimate = aggregate(privatize([30, 31, 31, 45] * 5000, "hh:b=4", epsilon=4, bins="0:120:1", seed=1))
    >>> result = moments(estimate, "start")  # the true mean is 34.25, the variance 38.7
    >>> result.estimates.round(1).tolist(), result.standard_errors.round(1).tolist()
    ([33.5, 13.2], [0.4, 26.5])
    """
    bins = require_numbers(estimate.domain)
    require_known(at, PLACES, "at")
    edges = bins.numbers(np.arange(bins.k + 1))
    numbers = edges[:-1] if at == START else (edges[:-1] + edges[1:]) / 2
    centre, scale = (edges[0] + edges[-1]) / 2, (edges[-1] - edges[0]) / 2
    places = (numbers - centre) / scale  # within -1..1, so that no digits are lost in squares
    unbiased = estimate if isinstance(estimate, WorkloadEstimate) else estimate.unbiased
    mean = unbiased.answers(LinearQueries(places[None])).estimates[0]
    found = unbiased.answers(LinearQueries(np.array([places, (places - mean) ** 2])))
    units = np.array([scale, scale**2])
    values = units * (found.estimates + np.array([0, found.standard_errors[0] ** 2])) + np.array([centre, 0])

    def covariances(rows: Rows) -> Floats:
        return found.covariances(rows) * np.outer(units[rows], units[rows])

    return Estimate(
        values,
        values,
        units * found.standard_errors,
        covariances,
        NORM,
        names={"moment": MOMENTS},
        columns=MOMENT_COLUMNS,
    )


def require_numbers(domain: ItemDomain) -> Bins:
    """Return bins of numbers.

    Raises:
        InputError: for items of a list, dates, and pairs of bins.
    """
    if not isinstance(domain, Bins) or domain.unit.kind != "decimals":
        others = {Bins: "dates", Grid: "pairs of bins"}
        raise InputError(
            f"mean and variance go with bins of numbers, got {others.get(type(domain), 'a list of items')}"
        )
    return domain


def width_statement(bins: Bins, at: str) -> str:
    """Say what the width of the bins costs.

    >>> from mechdesign_catalog.datasets.items.bins import parse_bins
    >>> width_statement(parse_bins("0:120:5"), "middle")
    'values count as the middle of their bin: this moves the mean by at most 2.5, a standard deviation by at most 2.5'
    """
    width = bins.step / bins.unit.in_one
    half = f"by at most {width / 2:g}"
    mean = half if at == MIDDLE else f"down by less than {width:g}, or not where they are starts"
    return f"values count as the {at} of their bin: this moves the mean {mean}, a standard deviation {half}"
