"""Bands of local designs: rows by their chances, and the first shift of each level by the checker's own numbers."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from mechdesign import WorkloadProblem, design_workload
from mechdesign.verify.level_design import BlockEntry, RowEntry
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog import design_levels
from mechdesign_figures.reports.workload_bands import MOST_DRAWN, bands_of


def test_rows_are_as_high_as_they_are_likely() -> None:
    design = design_workload(WorkloadProblem(Prefixes(5), epsilon=1))
    mechanism, alpha = design.mechanism, design.problem.alpha
    shares = {}
    for weight, ones in zip(mechanism.weights, mechanism.ones.tolist(), strict=True):
        chances = [Fraction(weight, mechanism.denominator) / (alpha if one else 1) for one in ones]
        shares["".join(str(int(one)) for one in ones)] = float(sum(chances) / 5)
    found = bands_of(design)
    assert {band["bits"]: band["share"] for band in found} == pytest.approx(shares)
    assert [band["share"] for band in found] == pytest.approx(sorted(shares.values(), reverse=True))
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(("workload", "k"), [(Prefixes, 96), (Ranges, 96), (Prefixes, 1100)])
def test_levels_are_drawn_as_the_checker_states_them(workload: Any, k: int) -> None:
    design = design_levels(WorkloadProblem(workload(k), epsilon=1))
    drawn = min(k, MOST_DRAWN)
    items = [(2 * at + 1) * k // (2 * drawn) for at in range(drawn)]
    found = bands_of(design)
    for band, level in zip(found, design.mechanism.levels, strict=True):
        whole = bits_of(level, k)
        assert band["bits"] == "".join(whole[item] for item in items)
    assert sum(band["share"] for band in found) == pytest.approx(1)
    assert len({band["name"] for band in found}) == len(found)


def bits_of(level: Any, k: int) -> str:
    """The first row of a level, or the blocks of its first shift, 1 and 0 by turns."""
    if isinstance(level, RowEntry):
        each = k // len(level.row)
        return "".join(letter * each for letter in level.row)
    even = isinstance(level, BlockEntry)
    edges = [at * k // level.blocks for at in range(level.blocks + 1)] if even else next(level.partitions().edges(k))
    return "".join("10"[at % 2] * (end - start) for at, (start, end) in enumerate(pairwise(edges)))
