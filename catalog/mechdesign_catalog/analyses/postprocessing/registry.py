"""The post-processing functions by name, and their application."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.names import require_known
from mechdesign_catalog.analyses.postprocessing.likelihood import em, square_mechanism
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate, shares_of
from mechdesign_catalog.decoders.decoder import NORM, RAW, norm
from mechdesign_catalog.decoders.simplex import base_cut, base_pos, norm_sub, raw
from mechdesign_catalog.randomizers.reports.probabilities import Floats


@dataclass(frozen=True)
class PostProcessing:
    """A post-processing; `function` is None where the reports' mechanism is needed (`em`)."""

    name: str
    title: str
    function: Callable[[Floats], Floats] | None

    @property
    def needs_mechanism(self) -> bool:
        """Whether the reports' mechanism is needed: for `em`."""
        return self.function is None

    def apply(self, estimates: Floats, users: int | None = None, mechanism: Mechanism | None = None) -> Floats:
        """Return new estimates, shape (..., k) as given; `users` and `mechanism` matter to `em` alone.

        Raises:
            InputError: for estimates that are not finite numbers, or where `em` lacks one of the two.

        >>> POSTPROCESSING["base-pos"].apply(np.array([1.25, -0.25])).tolist()
        [1.25, 0.0]
        """
        if np.ndim(estimates) < 1 or not np.size(estimates) or not np.isfinite(estimates).all():
            raise InputError("estimates must be finite numbers, one for each item, got others")
        if self.function is not None:
            return self.function(estimates)
        if users is None or mechanism is None:
            raise InputError(f"{self.name} must have the number of users and a square mechanism, got neither or one")
        return em(estimates, users, mechanism)


POSTPROCESSING: dict[str, PostProcessing] = {
    made.name: made
    for made in (
        PostProcessing(RAW, "as they were published", raw),
        PostProcessing(NORM, "the same amount added to all, the sum is 1; unbiased", norm),
        PostProcessing("base-pos", "negative ones set to 0", base_pos),
        PostProcessing("base-cut", "the largest kept while they sum to at most 1, the rest set to 0", base_cut),
        PostProcessing("norm-sub", "the same amount taken from all, negative ones set to 0, the sum is 1", norm_sub),
        PostProcessing("projection", "the nearest point of the simplex: the same as norm-sub", norm_sub),
        PostProcessing("em", "maximum likelihood, for oracles that are square matrices", None),
    )
}

OTHER_NAMES = {"base-pro": "base-pos", "base": RAW}
"""What papers call some of them: Wang et al. (NDSS 2020) and the commuting thesis."""


def postprocess(estimate: FrequencyEstimate | WorkloadEstimate, name: str) -> FrequencyEstimate:
    """Make estimated frequencies consistent by norm, base-pos, base-cut, norm-sub (projection) or em; raw undoes it.

    It costs nothing in privacy, and starts from the estimates as the oracle was published, whatever was done before.
    Standard errors and intervals stay theirs, or those of norm where items are in order, as without post-processing;
    norm, which is unbiased as well, has its own.

    Raises:
        InputError: for an unknown name, with the nearest known one; for em where the oracle is no square matrix; or
            where reports of a design do not tell the shares of items.
    """
    chosen, shares = find_postprocessing(name), shares_of(estimate)
    estimate = replace(FrequencyEstimate.of(shares.oracle, shares.domain, shares.state), ordered=shares.ordered)
    if chosen.name in (NORM, RAW):
        return estimate.normed() if chosen.name == NORM else estimate.published()
    mechanism = square_mechanism(estimate.oracle) if chosen.needs_mechanism else None
    made = chosen.apply(estimate.estimates, estimate.users, mechanism)
    return (estimate.normed() if estimate.ordered else estimate).replaced(made, chosen.name)


def find_postprocessing(name: str) -> PostProcessing:
    """Find the post-processing of that name, or of a name that papers have for it (`OTHER_NAMES`).

    Raises:
        InputError: for an unknown name, with the nearest known one.
    """
    word = OTHER_NAMES.get(name.strip().lower(), name)
    return POSTPROCESSING[require_known(word, POSTPROCESSING, "postprocessing")]
