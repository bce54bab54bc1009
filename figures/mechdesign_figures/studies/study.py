"""The study: a table that can be computed, and a picture of it."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from mechdesign.documents.tabular import csv_bytes
from mechdesign.problem.design_problem import DesignProblem
from mechdesign_figures.studies.design_cache import DesignCache

Cell = str | int | float | None
Row = dict[str, Cell]


def no_problems(quick: bool) -> Iterable[DesignProblem]:
    """Return no problems, for studies that design nothing."""
    return ()


@dataclass(frozen=True)
class Study:
    """A published figure or table, and how it is made again.

    `rows(cache, quick)` computes the table, every row with exactly `columns`; `draw(rows)` makes the picture from the
    table alone. `problems(quick)` lists every design that `rows` will ask the cache for, so that they can be solved
    beforehand and once for all studies. `quick` is a reduced form with the same columns, for tests. `setting` says what
    is fixed, `remark` where it had to differ from the published one, and what of it does not come out.
    `needs` are the data that must be there, as `DesignCache.require` takes them.
    """

    number: str
    title: str
    setting: str
    columns: tuple[str, ...]
    rows: Callable[[DesignCache, bool], list[Row]]
    draw: Callable[[Sequence[Row]], Figure]
    problems: Callable[[bool], Iterable[DesignProblem]] = no_problems
    remark: str = ""
    needs: tuple[str, ...] = ()


def table_text(study: Study, rows: Sequence[Row]) -> str:
    """Write the table as CSV: floats as the shortest decimals that read back the same, None as an empty cell."""
    return csv_bytes(study.columns, ([row[column] for column in study.columns] for row in rows)).decode()


def read_table(text: str) -> list[Row]:
    """Read rows back from `table_text`: whole numbers as int, other decimals as float, empty cells as None."""
    return [{name: _cell(word) for name, word in row.items()} for row in csv.DictReader(io.StringIO(text))]


def _cell(word: str) -> Cell:
    if not word:
        return None
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
