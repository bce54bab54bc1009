"""The table of frequency oracles under test: every one gets every test that applies."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from mechdesign_catalog.oracles import FrequencyOracle, make_oracle


@dataclass(frozen=True)
class Case:
    """An oracle at two sizes: `small` has few enough reports to enumerate, `usual` is estimated with.

    `redraw(seed)` makes `usual` anew with other public randomness, where it is unbiased only over that. `claimed` is
    the exact alpha that the claim is about, where that is not one report: an oracle that keeps its first answer claims
    a bound for all reports that are made of it.
    """

    label: str
    small: Callable[[], FrequencyOracle]
    usual: Callable[[], FrequencyOracle]
    redraw: Callable[[int], FrequencyOracle] | None = None
    claimed: Callable[[Any], Fraction] = lambda oracle: oracle.alpha


def case(name: str, small: tuple[int, Any], usual: tuple[int, Any], label: str = "", **options: Any) -> Case:
    """`(k, epsilon)` for both sizes, and options for both."""
    return Case(
        label or name,
        lambda: make_oracle(name, *small, **options),
        lambda: make_oracle(name, *usual, **options),
    )


CASES = (
    case("grr", (4, 1), (6, "1/2")),
    case("grr", (2, 8), (10, 3), "grr, other sizes"),
    case("sue", (4, 1), (6, "1/2")),
    case("sue", (9, 3), (11, 2), "sue, more than a byte"),
    case("sue", (2, 40), (2, 4), "sue, two items"),
    case("oue", (4, 1), (6, "1/2")),
    case("oue", (10, 3), (17, 2), "oue, more than a byte"),
    case("oue", (2, 40), (2, 4), "oue, two items"),
    case("rappor", (5, 2), (8, 1)),
    replace(
        case("rappor", (9, 4), (10, 3), "rappor, both steps", p="1/4", q="3/4"),
        claimed=lambda oracle: oracle.permanent_alpha,
    ),
    case("ss", (6, 1), (8, "1/2")),
    case("ss", (10, 1), (19, "3/2"), "ss, more than a byte"),
    case("ss", (2, 40), (2, 3), "ss, two items"),
    case("ss", (9, 2), (12, 2), "ss, given size", size=5),
)
