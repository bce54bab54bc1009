"""Releases from a trusted server: the central baselines beside local oracles."""

from typing import Any

from mechdesign.errors import InputError
from mechdesign.names import require_known
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import as_rational
from mechdesign_catalog.central.baseline import (
    SENSITIVITY,
    CentralBaseline,
    answers_squared_error,
    mean_squared_error,
)
from mechdesign_catalog.central.geometric import Geometric
from mechdesign_catalog.central.hierarchy import Hierarchy
from mechdesign_catalog.central.laplace import Laplace
from mechdesign_catalog.central.privelet import Privelet
from mechdesign_catalog.central.stability import Stability
from mechdesign_catalog.systems.registry import split_options

Baseline = Laplace | Geometric | Stability | Hierarchy | Privelet

BASELINES: dict[str, type[Baseline]] = {
    kind.name: kind for kind in (Laplace, Geometric, Stability, Hierarchy, Privelet)
}


def make_baseline(name: str, privacy: Privacy, **options: Any) -> Baseline:
    """Make the central baseline of that name; `options` are further fields of its class, such as delta or b.

    Raises:
        InputError: for another name, or an option that it does not have.
    """
    kind = BASELINES[require_known(name, BASELINES, "baseline")]
    known = set(kind.option_names())
    for option, value in options.items():
        if option not in known:
            has = f"its options are {', '.join(sorted(known))}" if known else "it has no options"
            raise InputError(f"{option} must not be given for {kind.name}, got {option}={value}; {has}")
    if "delta" in options:
        options["delta"] = as_rational(options["delta"], "delta")
    return kind(privacy, **options)


def parse_baseline(text: str, privacy: Privacy) -> Baseline:
    """Make the central baseline of a text such as `laplace` or `central-hh:b=16`.

    Raises:
        InputError: as `make_baseline`, and for an option that is no NAME=VALUE.
    """
    name, options = split_options(text)
    return make_baseline(name, privacy, **options)


def is_baseline(text: str) -> bool:
    """Return whether a text begins with the name of a central baseline."""
    return text.partition(":")[0].strip().lower() in BASELINES


__all__ = [
    "BASELINES",
    "SENSITIVITY",
    "Baseline",
    "CentralBaseline",
    "Geometric",
    "Hierarchy",
    "Laplace",
    "Privelet",
    "Stability",
    "answers_squared_error",
    "is_baseline",
    "make_baseline",
    "mean_squared_error",
    "parse_baseline",
]
