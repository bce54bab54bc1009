"""The table of frequency oracles under test: every one gets every test that applies."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from mechdesign_catalog.oracles import FrequencyOracle, make_oracle


@dataclass(frozen=True)
class Case:
    """An oracle at two sizes: `small` has few enough reports to enumerate, `usual` is estimated with.

    `redraw(seed)` makes `usual` anew with other public randomness, where it is unbiased only over that. Where it does
    not `treat_alike` all items, equal shares need not have equal variances.
    """

    label: str
    small: Callable[[], FrequencyOracle]
    usual: Callable[[], FrequencyOracle]
    redraw: Callable[[int], FrequencyOracle] | None = None
    treat_alike: bool = True


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
    case("dbitflip", (4, 1), (6, 2)),
    case("dbitflip", (4, 2), (6, 2), "dbitflip, one bucket", d=1),
    case("dbitflip", (4, 1), (7, 2), "dbitflip, some buckets", d=3),
    case("design:none:L0", (4, 1), (6, "1/2")),
    replace(case("design:CH:L1", (4, 1), (5, 2)), treat_alike=False),
)
