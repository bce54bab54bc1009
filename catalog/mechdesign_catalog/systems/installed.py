"""Oracles of other installed packages, by the entry points `mechdesign.oracles`.

A package names its class in pyproject.toml, under the oracle's own name:

    [project.entry-points."mechdesign.oracles"]
    mine = "my_package:Mine"

Loading it runs that package's code. So it is loaded by its exact name alone, when a name that is not of this package is
asked for, or when all are listed; it never takes the place of an oracle of this package.
"""

from typing import TYPE_CHECKING, Any

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.oracle import FrequencyOracle

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "mechdesign.oracles"


def installed_oracle(name: str) -> Any:
    """Load the class of an oracle that an installed package offers under exactly this name; None where there is none.

    Raises:
        InputError: where two packages offer the name, or what one offers is no oracle of this name.
    """
    found = _offered(name=name)
    if len(found) > 1:
        raise InputError(f"oracle {name} must be offered by one installed package, got {_owners(found)}")
    return _loaded(found[0]) if found else None


def installed_names() -> list[str]:
    """List the names of the oracles that installed packages offer, without loading them."""
    return sorted({point.name for point in _offered()})


def _offered(name: str | None = None) -> "list[EntryPoint]":
    """Return the entry points; what reads them is loaded only where they are asked for."""
    from importlib.metadata import entry_points

    return [point for point in entry_points(group=GROUP) if name in (None, point.name)]


def _loaded(point: "EntryPoint") -> Any:
    try:
        kind = point.load()
    except Exception as error:  # any code may run here
        raise InputError(f"oracle {point.name} of {_owners([point])} must load, got {type(error).__name__}") from None
    if not isinstance(kind, type) or not issubclass(kind, FrequencyOracle) or getattr(kind, "name", "") != point.name:
        raise InputError(
            f"oracle {point.name} of {_owners([point])} must be a FrequencyOracle of that name, got another"
        )
    return kind


def _owners(points: "list[EntryPoint]") -> str:
    return ", ".join(sorted(point.dist.name if point.dist else "an unknown package" for point in points))
