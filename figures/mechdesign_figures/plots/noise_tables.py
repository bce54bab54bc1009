"""The picture of noise tables: their privacy curves, delta against epsilon, a panel for each kind of counts."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechdesign.arguments import checked
from mechdesign.audits.curves import CurveAudit, Start, audit_curve, words_of_start
from mechdesign.documents.files import FilePath
from mechdesign.documents.noise_tables import read_noise_table_file
from mechdesign.errors import InputError, quote
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.table import NoiseTable
from mechdesign_figures.plots.parts.lettering import TITLE_SIZE
from mechdesign_figures.plots.parts.style import DASHES, FURTHER_COLOURS, on_figure

PANEL, HEIGHT = 4.2, 4.0
"""Inches across a panel, and of the picture."""

STEPS, TOP = 60, 3
"""Points of a curve, and the largest epsilon."""

LEAST = 1e-7
"""A delta below it is drawn there, at the foot."""

MOST_TABLES = len(FURTHER_COLOURS)


@checked
def plot_noise_tables(
    tables: Mapping[str, NoiseTable | NoiseTableDesign | FilePath], figure: Figure | None = None
) -> Figure:
    """Draw the exact privacy curves of noise tables: delta against epsilon, on a logarithmic scale.

    There is a panel for all counts, one for counts from 1 on, and one for large counts. Deltas are computed at
    rationals just below `exp(epsilon)`, at 60 epsilons up to 3, and joined by straight lines.

    Args:
        tables: by the names that the legend has: tables, designs, or files of ours, of ptable or of the ONS.
        figure: where; a new one by default.

    Raises:
        InputError: for no table, or more than twelve.
    """
    if not 0 < len(tables) <= MOST_TABLES:
        raise InputError(f"tables must be 1 to {MOST_TABLES}, got {len(tables)}")
    audits = {name: audit_curve(_opened(table)) for name, table in tables.items()}
    starts = max((audit.starts for audit in audits.values()), key=len)
    with on_figure(figure, PANEL * len(starts), HEIGHT) as made:
        panels = made.subplots(1, len(starts), sharey=True, squeeze=False)[0]
        for axes, start in zip(panels, starts, strict=True):
            _draw(axes, audits, start)
        drawn = [float(y) for axes in panels for line in axes.get_lines() for y in line.get_ydata()]
        panels[0].set_ylim(max(LEAST, min(drawn) / 3), 1)
        panels[0].set_ylabel("delta (probability)")
        panels[0].legend(fontsize=8)
    return made


def _opened(table: NoiseTable | NoiseTableDesign | FilePath) -> NoiseTable | NoiseTableDesign:
    if isinstance(table, NoiseTable | NoiseTableDesign):
        return table
    if not isinstance(table, str | Path):
        raise InputError(f"tables must be noise tables or their files, got {quote(table)}")
    return read_noise_table_file(table).table


def _draw(axes: Axes, audits: Mapping[str, CurveAudit], start: Start) -> None:
    epsilons = [Fraction(TOP * step, STEPS) for step in range(1, STEPS + 1)]
    for place, (name, audit) in enumerate(audits.items()):
        if start in audit.starts:
            deltas = [max(LEAST, float(audit.delta(epsilon, start))) for epsilon in epsilons]
            across, colour, dash = [float(epsilon) for epsilon in epsilons], FURTHER_COLOURS[place], DASHES[place % 3]
            axes.plot(across, deltas, label=name, linewidth=1.6, color=colour, linestyle=dash)
    axes.set_yscale("log")
    axes.set_xlim(0, TOP)
    axes.set_xlabel("epsilon")
    axes.set_title(words_of_start(start), fontsize=TITLE_SIZE)
