"""Rows of comparisons, of mechanisms or of oracles, as tables."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from mechdesign.counts.measuring import Measured
from mechdesign.documents.tabular import Table
from mechdesign.mechanism.notebook import one_line, page

Entry = dict[str, str | int | float | None]


class Row(Protocol):
    """A line of a comparison's table."""

    def entry(self) -> Entry:
        """Return its cells by column."""


R = TypeVar("R", bound=Row)


class ComparisonRows(list[R]):
    """The rows of a comparison: a list that shows itself as a table in a notebook, and in one line elsewhere."""

    def tabulate(self) -> Table:
        """Return the cells of all rows by column."""
        return Table.of([row.entry() for row in self])

    def __repr__(self) -> str:
        metrics = dict.fromkeys(str(row.entry()["metric"]) for row in self)
        return one_line("Comparison", f"{len(self)} rows", ", ".join(metrics))

    def _repr_html_(self) -> str:
        return page("Comparison", self.tabulate()._repr_html_())


def measured_entry(measured: Measured[float | None]) -> Entry:
    """Name the cells that every comparison has: the expectation, and what simulations gave."""
    return {
        "expected": measured.expected,
        "mean": measured.mean,
        "standard_error": measured.standard_error,
        "standard_deviation": measured.deviation,
        "repetitions": measured.repetitions,
    }


def added_up(report: Callable[[int], None]) -> Callable[[int], None]:
    """Return what is told how much was done each time, and tells `report` how much was done so far."""
    done = 0

    def add(more: int) -> None:
        nonlocal done
        done += more
        report(done)

    return add
