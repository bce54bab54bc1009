"""Errors that claims on systems compare, each computed once."""

from fractions import Fraction
from functools import lru_cache

from mechdesign_figures.studies.marginals.errors import ATTRIBUTES, THREE_TEXT, WAYS
from mechdesign_figures.studies.marginals.people import FILMS, people
from mechdesign_figures.studies.marginals.systems import SIX, at, binary

NEAR = 1.1
"""Factor up to which errors are called near each other."""


def cells(quick: bool) -> list[tuple[int, int]]:
    """List attributes and ways of the grids of figures 4.3 and 4.6; the quick form leaves 16 attributes out."""
    return [(d, k) for d in (ATTRIBUTES[:2] if quick else ATTRIBUTES) for k in WAYS]


@lru_cache(maxsize=2048)
def error(system: str, d: int, k: int, epsilon: str = THREE_TEXT, users_log2: int = 18, data: str = FILMS) -> float:
    """Return the expected error of a published system on made-up people, in the mean over all tables."""
    asked = people(data, d, 1 << users_log2)
    collection = binary(SIX[system], d, k) if epsilon == THREE_TEXT else binary(SIX[system], d, k, at(epsilon))
    return collection.mean_error(asked.shares, asked.users)


def errors(d: int, k: int, epsilon: str = THREE_TEXT, users_log2: int = 18, data: str = FILMS) -> dict[str, float]:
    """Return the expected errors of all published systems."""
    return {system: error(system, d, k, epsilon, users_log2, data) for system in SIX}


def told(errors: dict[str, float]) -> str:
    """Write errors by system."""
    return ", ".join(f"{system} {value:.4f}" for system, value in errors.items())


def excess(one: float, other: float) -> Fraction:
    """Return by how much of the second the first is larger."""
    return Fraction(one / other - 1)
