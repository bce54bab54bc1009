"""Add up the reports of one source."""

from collections.abc import Callable, Iterable

from mechdesign.errors import InputError
from mechdesign_catalog.oracles.oracle import LocalOracle
from mechdesign_catalog.oracles.reports import Reports, State


def sum_up(
    oracle: LocalOracle,
    pieces: Iterable[Reports],
    name: str,
    *,
    rows_before: int = 0,
    report: Callable[[int], None] = lambda users: None,
) -> State | None:
    """Add up reports piece by piece; None where there is not even one piece.

    Args:
        oracle: the oracle that made the reports.
        pieces: the reports.
        name: what errors call their source.
        rows_before: rows of the source that are not among the pieces, but before them.
        report: told how many were read so far.

    Raises:
        InputError: for reports that the oracle cannot have made, and as reading them raises.
    """
    state: State | None = None
    start = rows_before
    for reports in pieces:
        try:
            part = oracle.aggregate(reports)
        except InputError as error:
            after = f", counted from row {start + 1} on" if start else ""
            raise InputError(f"{error} of {name}{after}") from None
        start += len(reports)
        state = part if state is None else state.merge(part)
        report(start - rows_before)
    return state
