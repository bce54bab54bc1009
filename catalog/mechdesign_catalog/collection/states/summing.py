"""The sum of the reports of one source."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mechdesign.errors import InputError
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.randomizers.reports.reports import Reports, State
from mechdesign_catalog.randomizers.reports.validity import without_invalid


@dataclass(frozen=True)
class Summed:
    """The sums of a source, None where there was not even one piece, and how many reports were left out."""

    sums: State | None
    dropped: int


def sum_up(
    oracle: LocalOracle,
    pieces: Iterable[Reports],
    name: str,
    *,
    rows_before: int = 0,
    drop_invalid: bool = False,
    report: Callable[[int], None] = lambda users: None,
) -> Summed:
    """Add up reports piece by piece.

    Args:
        oracle: the oracle that made the reports.
        pieces: the reports.
        name: what errors call their source.
        rows_before: rows of the source that are not among the pieces, but before them.
        drop_invalid: leave out reports that the oracle cannot have made, instead of refusing them all.
        report: told how many were read so far.

    Raises:
        InputError: for reports that the oracle cannot have made, and as reading them raises.
    """
    state: State | None = None
    start, dropped = rows_before, 0
    for reports in pieces:
        rows = len(reports)
        try:
            if drop_invalid:
                reports, wrong = without_invalid(oracle.report_schema, reports, oracle.parameters)
                dropped += wrong
            part = oracle.aggregate(reports)
        except InputError as error:
            after = f", counted from row {start + 1} on" if start else ""
            raise InputError(f"{error} of {name}{after}") from None
        start += rows
        state = part if state is None else state.grown_by(part)
        report(start - rows_before)
    return Summed(state, dropped)
