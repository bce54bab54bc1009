"""Release counts from a trusted server: the central baselines, for comparison with local oracles."""

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number, as_rational
from mechdesign_catalog.central.baseline import SENSITIVITY, CentralBaseline, mean_squared_error
from mechdesign_catalog.central.geometric import Geometric
from mechdesign_catalog.central.laplace import Laplace
from mechdesign_catalog.central.stability import Stability

Baseline = Laplace | Geometric | Stability

BASELINES: dict[str, type[Laplace] | type[Geometric] | type[Stability]] = {
    kind.name: kind for kind in (Laplace, Geometric, Stability)
}


def make_baseline(name: str, privacy: Privacy, delta: Number | None = None) -> Baseline:
    """Make the central baseline of that name; `delta` is for stability alone.

    Raises:
        InputError: for another name, or a delta that it does not have.
    """
    kind = BASELINES[require_known(name, BASELINES, "baseline")]
    if kind is Stability:
        return Stability(privacy, None if delta is None else as_rational(delta, "delta"))
    if delta is not None:
        raise InputError(f"delta must not be given for {kind.name}, got delta={delta}")
    return kind(privacy)


__all__ = [
    "BASELINES",
    "SENSITIVITY",
    "Baseline",
    "CentralBaseline",
    "Geometric",
    "Laplace",
    "Stability",
    "make_baseline",
    "mean_squared_error",
]
