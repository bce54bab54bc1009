"""A mechanism as a heat-coloured HTML table, for notebooks."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

MAX_SHOWN = 40


def heat_colour(share: float) -> tuple[int, int, int]:
    """White to dark blue for a share in [0, 1]; lightness falls evenly, so it reads in grey as well."""
    share = min(max(share, 0.0), 1.0)
    low, high = (247, 251, 255), (8, 69, 148)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return red, green, blue


def heat_table(matrix: NDArray[np.float64], exact: Sequence[Sequence[str]]) -> str:
    """Rows are outputs, columns inputs; the exact value of each cell is its tooltip."""
    n_outputs, n_inputs = matrix.shape
    if max(matrix.shape) > MAX_SHOWN:
        return f"<p>Mechanism, {n_outputs} outputs x {n_inputs} inputs</p>"
    top = float(matrix.max())
    head = "".join(f"<th>{j}</th>" for j in range(n_inputs))
    rows = []
    for i, row in enumerate(matrix.tolist()):
        cells = "".join(_cell(value, top, exact[i][j]) for j, value in enumerate(row))
        rows.append(f"<tr><th>{i}</th>{cells}</tr>")
    caption = "Pr[output (row) | input (column)]"
    return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def _cell(value: float, top: float, exact: str) -> str:
    colour = ",".join(map(str, heat_colour(value / top)))
    ink = "#fff" if value > 0.55 * top else "#000"
    return f'<td title="{escape(exact)}" style="background:rgb({colour});color:{ink}">{value:.4f}</td>'
