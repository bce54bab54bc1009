"""The study of noise tables: ptable's most entropy against designed tables, several cells, and what keys cost."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.mechanism.privacy_curve import Law, delta_at
from mechdesign.noise_tables.designing import design_noise_table
from mechdesign.noise_tables.guarantee import ratio_below
from mechdesign.noise_tables.problem import DELTA
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.table_releases.promise import LossAtoms
from mechdesign_figures.plots.parts.curves import draw_legend, legend_inches
from mechdesign_figures.plots.parts.style import HouseFigure, LineStyle
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.study import Row, Study

SETTINGS = ("5,3,2", "5,3,1", "3,1,0", "3,2,0", "4,2,0", "5,1,1", "5,2,0", "6,3,0", "7,2,2", "8,3,2", "8,4,2", "10,5,0")
SHOWN = "5,3,2"
EPSILONS = ("1/2", "1", "2")
CURVE = ("1/4", "1/2", "3/4", "1", "5/4", "3/2", "2", "5/2", "3")
PTABLE, LEAST, THREE, CAPPED = "ptable", "least delta at 1", "least delta at 1/2, 1, 2", "most entropy, capped at 1"
LOOKS = {
    PTABLE: LineStyle("#000000", "X", ":"),
    CAPPED: LineStyle("#009E73", "^"),
    THREE: LineStyle("#D55E00", "s", "--"),
    LEAST: LineStyle("#0072B2", "o"),
}
CELLS, QUICK_CELLS = (1, 2, 4, 8), (1, 2)
KEYS, QUICK_KEYS = 256, 32
SUMMED, SHUFFLED, APART, PEOPLE = "sums, sorted", "sums, shuffled", "independent", "of people alone"
LEGEND = (
    "large counts; ptable: the most entropy, without a guarantee; deltas are exact, those of several cells rounded up"
)
ROOM_FOR_LEGEND = 8.0
COLUMNS = ("panel", "noise", "variance", "block", "table", "epsilon", "start", "cells", "delta")


def rows(cache: DesignCache, quick: bool) -> list[Row]:
    """Compute the table: one cell in all settings, curves, several cells, and how noise is looked up."""
    found: list[Row] = []
    for setting in (SHOWN,) if quick else SETTINGS:
        for epsilon in ("1",) if quick else EPSILONS:
            found += _of_setting(setting, epsilon)
    shown = {name: _designed(SHOWN, name, "1") for name in LOOKS}
    common = _common(SHOWN)
    for name, table in shown.items():
        for epsilon in EPSILONS if quick else CURVE:
            delta = float(table.delta(ratio_below(Fraction(epsilon)), table.last))
            found.append({**common, "panel": "curve", "table": name, **_at(epsilon, "large", 1), "delta": delta})
        atoms = LossAtoms.of(table.pairs(table.last), table.denominator)
        for cells in QUICK_CELLS if quick else CELLS:
            delta = atoms.composed(cells).delta(ratio_below(Fraction(1)))
            found.append({**common, "panel": "cells", "table": name, **_at("1", "large", cells), "delta": delta})
    for way, law in _looked_up(shown[PTABLE], QUICK_KEYS if quick else KEYS).items():
        for epsilon in ("1/2", "1", "2", "3"):
            delta = _joint_delta(law, ratio_below(Fraction(epsilon)))
            found.append({**common, "panel": "keys", "table": way, **_at(epsilon, "large", 2), "delta": delta})
    return found


def _common(setting: str) -> dict[str, Any]:
    noise, variance, block = setting.split(",")
    return {"noise": int(noise), "variance": int(variance), "block": int(block)}


def _at(epsilon: str, start: str, cells: int) -> Row:
    return {"epsilon": float(Fraction(epsilon)), "start": start, "cells": cells}


def _designed(setting: str, name: str, epsilon: str) -> NoiseTable:
    """Design a table; caps are two fifths of ptable's deltas, and least deltas go with ptable's from count 0 on."""
    asked = _common(setting)
    plain = design_noise_table(**asked, shape="left").mechanism
    if name == PTABLE:
        return plain
    ratio = ratio_below(Fraction(epsilon))
    whole, own, large = (_above(plain.delta(ratio, start)) for start in (0, 1, plain.last))
    if name == CAPPED:
        caps = [f"{epsilon}:{2 * own / 5}@1", f"{epsilon}:{2 * large / 5}@large"]
        return design_noise_table(**asked, shape="left", guarantees=caps).mechanism
    free = [f"{epsilon}@1", f"{epsilon}@large"]
    if name == THREE:
        free = ["1/2@1", "1@1=4", "2@1=30", "1/2@large", "1@large=4", "2@large=30"]
    guarantees = [f"{epsilon}:{whole}@0", *free]
    return design_noise_table(**asked, symmetric=True, objective=DELTA, guarantees=guarantees).mechanism


def _above(delta: Fraction) -> Fraction:
    """Round up to seven places, which leaves a solver room."""
    return Fraction(-(-delta.numerator * 10**7 // delta.denominator), 10**7)


def _of_setting(setting: str, epsilon: str) -> Iterator[Row]:
    ratio = ratio_below(Fraction(epsilon))
    for name in (PTABLE, LEAST):
        table = _designed(setting, name, epsilon)
        for start, first in (("all", 0), ("1", 1), ("large", table.last)):
            delta = float(table.delta(ratio, first))
            yield {**_common(setting), "panel": "one cell", "table": name, **_at(epsilon, start, 1), "delta": delta}


Joint = dict[Any, int]


def _looked_up(table: NoiseTable, keys: int) -> Mapping[str, tuple[Joint, Joint]]:
    """Return laws of the noises of two cells and their sum, without and with one more person in the first.

    The row of large counts is rounded to whole keys. Of people alone: two cells of the same people, or one of them
    with a person more.
    """
    row, ends, noise_of = table.rows[-1], 0, list[int]()
    for noise, weight in row:
        ends += weight
        noise_of += [noise] * (round(Fraction(ends * keys, table.denominator)) - len(noise_of))
    mixed = random.Random(1).sample(noise_of, keys)
    one = Counter(noise_of)
    apart = {(a, b, c): one[a] * one[b] * one[c] for a in one for b in one for c in one}
    same: Joint = {(a, a): one[a] * keys for a in one}
    differing = {(a, b + 1): one[a] * one[b] for a in one for b in one}
    return {
        SUMMED: _of_sums(noise_of),
        SHUFFLED: _of_sums(mixed),
        APART: (apart, _shifted(apart)),
        PEOPLE: (same, differing),
    }


def _of_sums(noise_of: Sequence[int]) -> tuple[Joint, Joint]:
    size = len(noise_of)
    law = Counter((noise_of[a], noise_of[b], noise_of[(a + b) % size]) for a in range(size) for b in range(size))
    return law, _shifted(law)


def _shifted(law: Joint) -> Joint:
    """Return the law of results where the first cell, and so the sum, has one person more."""
    return {(a + 1, b, c + 1): weight for (a, b, c), weight in law.items()}


def _joint_delta(laws: tuple[Law, Law], ratio: Fraction) -> float:
    first, second = laws
    return float(delta_at([(first, second), (second, first)], sum(first.values()), ratio))


def draw(rows: Sequence[Row]) -> Figure:
    """Draw curves of one cell, delta of several cells, and delta by the look-up of noise."""
    figure = HouseFigure(figsize=(11.0, 3.6 + legend_inches(LOOKS, LEGEND, 11.0)))
    curve, cells, keys = figure.subplots(1, 3)
    for name, look in LOOKS.items():
        _line(curve, rows, "curve", name, "epsilon", look)
        _line(cells, rows, "cells", name, "cells", look)
    for place, way in enumerate((PEOPLE, SUMMED, SHUFFLED, APART)):
        own = [row for row in rows if row["panel"] == "keys" and row["table"] == way]
        look = list(LOOKS.values())[place]
        across = [number(row, "epsilon") for row in own]
        keys.plot(across, [number(row, "delta") for row in own], label=way, linewidth=1.5, **look.line())
    keys.legend(fontsize=8, title="keys", loc="upper right", ncols=2)
    for axes, title, label in (
        (curve, "one cell", "epsilon"),
        (cells, "several cells at epsilon 1", "cells"),
        (keys, "two cells and their sum, ptable", "epsilon"),
    ):
        axes.set_yscale("log")
        axes.set_title(title)
        axes.set_xlabel(label)
        axes.set_ylabel("delta (probability)")
    keys.set_ylim(top=ROOM_FOR_LEGEND)
    draw_legend(figure, LOOKS, LEGEND)
    return figure


def _line(axes: Axes, rows: Sequence[Row], panel: str, name: str, across: str, look: LineStyle) -> None:
    own = [row for row in rows if row["panel"] == panel and row["table"] == name]
    axes.plot([number(row, across) for row in own], [number(row, "delta") for row in own], linewidth=1.5, **look.line())


STUDIES = (
    Study(
        number="noise-tables",
        title="Noise tables: ptable's most entropy, designed tables, several cells and keys",
        setting="twelve settings of noise, variance and blocked results; epsilon = 1/2, 1, 2; delta of one count from "
        "0, from 1 on, and of large counts; for noise 5, variance 3, block 2 also curves, delta of 1 to 8 cells at "
        "epsilon 1, and the look-up of 256 keys",
        columns=COLUMNS,
        rows=rows,
        draw=draw,
        remark="Ours. Where a table is made for epsilon 1 alone, ptable's is better at 1/2, and for two cells and more "
        "at 1. Keys that add up and thresholds that are sorted tell the sum of two cells.",
    ),
)
