"""The reports of a workload design as bands along its items, or its levels: what a picture of them is drawn from."""

from typing import Any

import numpy as np

from mechdesign.level_designs import LevelDesign, LevelMechanism
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.rational import nearest_float
from mechdesign.verify.level_design import BlockEntry, LevelEntry, RowEntry
from mechdesign.workload_designs import WorkloadDesign
from mechdesign.workloads.queries import Integers
from mechdesign_catalog.decoders.lines.warp import Warp, stretches

MOST_DRAWN = 560
"""Items of a band; of more items as many are drawn, spread evenly."""


def bands_of(design: WorkloadDesign | LevelDesign) -> list[dict[str, Any]]:
    """Return as JSON each report, the likeliest first, or each level: `bits`, its `share`, and of a level its `name`.

    A bit of a report is 1 where an item makes it likely. Those of a level are its first shift: the blocks by turns, or
    its row of cells. The share is how often it is sent, or drawn, where all items are as frequent.
    """
    if isinstance(design, LevelDesign):
        return _levels(design.mechanism)
    return sorted(_rows(design.mechanism), key=lambda band: -band["share"])


def _rows(mechanism: RowMechanism) -> list[dict[str, Any]]:
    more = nearest_float(1 / mechanism.alpha) - 1
    found = []
    for weight, ones in zip(mechanism.weights, mechanism.ones, strict=True):
        share = weight / mechanism.denominator * (1 + more * float(ones.mean()))
        found.append({"bits": _text(ones), "share": share})
    return found


def _levels(mechanism: LevelMechanism) -> list[dict[str, Any]]:
    k, places = mechanism.k, mechanism.places
    drawn = min(k, MOST_DRAWN)
    items = (2 * np.arange(drawn, dtype=np.int64) + 1) * k // (2 * drawn)
    total = sum(level.weight for level in mechanism.levels)
    return [
        {"bits": _text(_held(level, items, k, places)), "share": level.weight / total, "name": _name(level, places)}
        for level in mechanism.levels
    ]


def _held(level: LevelEntry, items: Integers, k: int, places: int) -> Integers:
    """Return 1 and 0 by turns for the blocks of items at the first shift, or the row of their cells."""
    if isinstance(level, RowEntry):
        row = np.array([int(letter) for letter in level.row])
        return row[items * len(row) // places]
    if isinstance(level, BlockEntry):
        blocks = ((items + 1) * level.blocks - 1) // places
    else:
        blocks = Warp(stretches(k), level.densities).labels(items, level.blocks, 0, level.shifts)
    return 1 - blocks % 2


def _name(level: LevelEntry, places: int) -> str:
    if isinstance(level, RowEntry):
        return f"cells of about {places / len(level.row):,.3g}: {level.row}"
    if isinstance(level, BlockEntry):
        return f"{level.blocks:,} blocks"
    return f"{level.blocks:,} blocks, longer at the ends"


def _text(held: Integers) -> str:
    return "".join("01"[int(one)] for one in held)
