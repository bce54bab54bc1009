"""List the post-processing functions by name, and apply them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.names import require_known
from mechdesign_catalog.collection.estimates.frequency_estimate import FrequencyEstimate
from mechdesign_catalog.collection.estimates.workload_estimate import WorkloadEstimate, shares_of
from mechdesign_catalog.oracles.probabilities import Floats
from mechdesign_catalog.oracles.simplex import base, base_cut, base_pos, norm_sub
from mechdesign_catalog.postprocessing.likelihood import em, square_mechanism


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
        PostProcessing("base", "as they are", base),
        PostProcessing("base-pos", "negative ones set to 0", base_pos),
        PostProcessing("base-cut", "the largest kept while they sum to at most 1, the rest set to 0", base_cut),
        PostProcessing("norm-sub", "the same amount taken from all, negative ones set to 0, the sum is 1", norm_sub),
        PostProcessing("projection", "the nearest point of the simplex: the same as norm-sub", norm_sub),
        PostProcessing("em", "maximum likelihood, for oracles that are square matrices", None),
    )
}

OTHER_NAMES = {"base-pro": "base-pos"}


def postprocess(found: FrequencyEstimate | WorkloadEstimate, name: str) -> FrequencyEstimate:
    """Make estimated frequencies consistent by base-pos, base-cut, norm-sub (projection) or em; base undoes it.

    It costs nothing in privacy, and starts from the unbiased estimates whatever was done before; standard errors and
    intervals stay theirs.

    Raises:
        InputError: for an unknown name, with the nearest known one; for em where the oracle is no square matrix; or
            where reports of a design do not tell the shares of items.
    """
    chosen, found = find_postprocessing(name), shares_of(found)
    mechanism = square_mechanism(found.oracle) if chosen.needs_mechanism else None
    return found.processed(chosen.name, chosen.apply(found.estimates, found.users, mechanism))


def find_postprocessing(name: str) -> PostProcessing:
    """Find the post-processing of that name; `base-pro`, as the thesis writes it, is `base-pos`.

    Raises:
        InputError: for an unknown name, with the nearest known one.
    """
    word = OTHER_NAMES.get(name.strip().lower(), name)
    return POSTPROCESSING[require_known(word, POSTPROCESSING, "postprocessing")]
