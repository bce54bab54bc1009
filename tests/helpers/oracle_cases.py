"""The table of frequency oracles under test: every one gets every test that applies."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from row_designs import cyclic_oracle

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.systems import FrequencyOracle, make_oracle
from mechdesign_catalog.systems.registry import FLAT_ORACLES


@dataclass(frozen=True)
class Case:
    """An oracle at two sizes: `small` has few enough reports to enumerate, `usual` is estimated with.

    `remade(privacy)` makes one of as many items for another privacy, where another field of the oracle hangs on that.
    `redraw(seed)` makes `usual` anew with other public randomness, where it is unbiased only over that. Where it does
    not `treat_alike` all items, equal shares need not have equal variances.
    """

    label: str
    small: Callable[[], FrequencyOracle]
    usual: Callable[[], FrequencyOracle]
    redraw: Callable[[int], FrequencyOracle] | None = None
    remade: Callable[[Privacy], FrequencyOracle] | None = None
    treat_alike: bool = True


def case(name: str, small: tuple[int, Any], usual: tuple[int, Any], label: str = "", **options: Any) -> Case:
    """`(k, epsilon)` or `(k, Privacy)` for both sizes, and options for both."""
    return Case(
        label or name,
        lambda: make_oracle(name, small[0], asked(small[1]), **options),
        lambda: make_oracle(name, usual[0], asked(usual[1]), **options),
    )


def plane(name: str, small: str, usual: str, label: str = "", **options: Any) -> Case:
    """An oracle on tables of these sides, at epsilon 1."""

    def make(sides: str) -> FrequencyOracle:
        rows, columns = map(int, sides.split("x"))
        return make_oracle(name, rows * columns, Privacy(epsilon=1), sides=sides, **options)

    return Case(label or name, lambda: make(small), lambda: make(usual), treat_alike=False)


def asked(privacy: Any) -> Privacy:
    """A bare number is an epsilon."""
    return privacy if isinstance(privacy, Privacy) else Privacy(epsilon=privacy)


HALF = Privacy(alpha="1/2")


WRITTEN = (
    case("grr", (4, 1), (6, "1/2")),
    case("grr", (2, 8), (10, 3), "grr, other sizes"),
    case("grr", (4, HALF), (6, HALF), "grr, alpha"),
    case("dbitflip", (4, HALF), (7, HALF), "dbitflip, alpha without a rational root", d=3),
    case("sue", (4, Privacy("1/4")), (6, Privacy("1/4")), "sue, alpha with a rational root"),
    case("dbitflip", (4, 1), (6, 2)),
    case("dbitflip", (4, 2), (6, 2), "dbitflip, one bucket", d=1),
    case("dbitflip", (4, 1), (7, 2), "dbitflip, some buckets", d=3),
    case("blh", (5, 1), (6, 1)),
    case("olh", (4, 1), (6, 1), "olh, even buckets"),
    case("olh", (3, "1/2"), (9, "1/2"), "olh, uneven buckets", hash_bits=2),
    case("hrr", (5, 1), (6, 1)),
    case("hrr", (3, 2), (10, 2), "hrr, t = 3", t=3),
    Case(
        "hcms",
        lambda: make_oracle("hcms", 4, Privacy(epsilon=1), hashes=1, width=4),
        lambda: make_oracle("hcms", 10, Privacy(epsilon=1), hashes=16, width=4),
        redraw=lambda seed: make_oracle("hcms", 10, Privacy(epsilon=1), hashes=16, width=4, seed=seed),
    ),
    case("sue", (4, 1), (6, "1/2")),
    case("sue", (9, 3), (11, 2), "sue, more than a byte"),
    case("sue", (2, 40), (2, 4), "sue, two items"),
    case("oue", (4, 1), (6, "1/2")),
    case("oue", (10, 3), (17, 2), "oue, more than a byte"),
    case("oue", (2, 40), (2, 4), "oue, two items"),
    case("rappor", (5, 2), (8, 1)),
    case("rappor", (9, 4), (10, 3), "rappor, both steps", p="1/4", q="3/4"),
    case("ss", (6, 1), (8, "1/2")),
    case("ss", (10, 1), (19, "3/2"), "ss, more than a byte"),
    case("ss", (2, 40), (2, 3), "ss, two items"),
    case("ss", (9, 2), (12, 2), "ss, given size", size=5),
    replace(
        case("design:none:L0", (4, 1), (6, "1/2")), remade=lambda privacy: make_oracle("design:none:L0", 6, privacy)
    ),
    replace(
        case("design:CH:L1", (4, 1), (5, 2)),
        remade=lambda privacy: make_oracle("design:none:L0", 5, privacy),
        treat_alike=False,
    ),
    Case(
        "workload-design",
        lambda: cyclic_oracle(4, Privacy(alpha="1/3"), (3, 1), (3, 1, 1, 2)),
        lambda: cyclic_oracle(7, Privacy(epsilon=1), (2, 1, 4), (5, 2, 1, 0, 1, 2, 5)),
        remade=lambda privacy: cyclic_oracle(7, privacy, (2, 1, 4)),
        treat_alike=False,
    ),
    replace(case("hh", (4, 1), (8, 1), b=2), treat_alike=False),
    replace(case("hh", (5, 1), (9, 2), "hh, hrr, ragged, raw", b=3, in_="hrr", estimate="raw"), treat_alike=False),
    replace(case("hh", (7, HALF), (12, HALF), "hh, grr, weighted", b=4, in_="grr", levels="3-2"), treat_alike=False),
    replace(case("haar", (5, HALF), (8, HALF), "haar, weighted", levels="3-2-2"), treat_alike=False),
    Case(
        "blocks",
        lambda: make_oracle("blocks", 5, HALF, levels="5*3-2*1-x3*2"),
        lambda: make_oracle("blocks", 8, HALF, levels="8*3-x3*2"),
        treat_alike=False,
    ),
    replace(case("warped-blocks", (5, Privacy(alpha="1/3")), (6, HALF), levels="uniform"), treat_alike=False),
    plane("haar2", "2x3", "2x4"),
    plane("blocks2", "2x3", "2x4"),
    plane("hh2", "2x3", "2x4", b=2),
)
CASES = (
    *WRITTEN,
    *(case(name, (4, 1), (6, HALF)) for name in FLAT_ORACLES if name not in {one.label for one in WRITTEN}),
)
"""A flat oracle that has no case of its own has one with its usual options."""


def told_by(oracle, report):
    """Return what the estimate is from one report alone."""
    rest, arrays = list(report), []
    for column in oracle.report_schema.columns:
        width = int(np.prod(column.shape, dtype=int))
        part, rest = rest[:width], rest[width:]
        arrays.append(np.array(part).reshape(1, *column.shape).astype(column.dtype))
    one = oracle.aggregate(oracle.report_schema.reports(oracle.parameters, *arrays))
    return np.atleast_1d(oracle.estimate(State(one.parameters, 1, one.sums)))
