"""The looks of the commuting studies: names and colours of oracles, and their tables."""

from collections.abc import Iterable, Sequence

from mechdesign_figures.plots.oracle_comparison import ORACLE_LOOKS
from mechdesign_figures.plots.parts.lines import Mean
from mechdesign_figures.plots.parts.style import LineStyle
from mechdesign_figures.studies.matrices import number
from mechdesign_figures.studies.study import Row

TITLES = {
    "grr": "RR (grr)",
    "sue": "UE (sue)",
    "oue": "UE (oue)",
    "olh": "OLH (olh)",
    "hcms": "HM (hcms)",
    "hrr": "HRR (hrr)",
    "laplace": "central: Laplace",
    "geometric": "central: geometric",
    "stability": "central: stability",
    "zero": "0 for every pair",
}
"""As the published study writes them, with the name on the command line."""

SOURCE_LOOKS = {
    **ORACLE_LOOKS,
    "laplace": LineStyle("#000000", "<"),
    "geometric": LineStyle("#777777", "s", "--"),
    "stability": LineStyle("#56B4E9", "v", ":"),
    "zero": LineStyle("#777777", "", (0, (1, 2))),
}

POST_LOOKS = {
    "base": LineStyle("#000000", "o"),
    "base-pos": LineStyle("#0072B2", "^", "--"),
    "base-cut": LineStyle("#D55E00", "s", "-."),
    "norm-sub": LineStyle("#009E73", "D", ":"),
}


def looks_by_title(names: Iterable[str]) -> dict[str, LineStyle]:
    """Return a look for each source, under the name that stands in the legend."""
    return {TITLES[name]: SOURCE_LOOKS[name] for name in names}


def distinct(rows: Sequence[Row], column: str) -> list[str]:
    """List the cells of a column, each once, in their order."""
    return list(dict.fromkeys(str(row[column]) for row in rows))


def chosen(rows: Sequence[Row], **cells: str) -> list[Row]:
    """Select the rows with these cells."""
    return [row for row in rows if all(row[column] == cell for column, cell in cells.items())]


def means(rows: Sequence[Row]) -> list[Mean]:
    """Return simulated means against epsilon."""
    return [
        Mean(
            number(row, "epsilon"),
            number(row, "mean"),
            None if row["standard_error"] is None else number(row, "standard_error"),
        )
        for row in rows
    ]
