"""Several wishes, answered: a table of what each needs."""

from collections.abc import Iterable
from fractions import Fraction

from mechdesign.arguments import checked
from mechdesign.calibration import Answered, WishRow
from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError


@checked
def tabulate_wishes(found: Iterable[Answered]) -> Table:
    """Make a table of answered wishes, a row for each: what `calibrate` or `calibrate_reports` returned.

    Columns are what was asked (`error`, `half_width`, `chance` or `score`), what suffices (`epsilon` or `users`),
    `too_little`, which does not, and `impossible`, with which no mechanism does; then what is known of the answer.

    Raises:
        InputError: for no wish, or wishes of several kinds.
    """
    rows = rows_of(found)
    return Table.of(
        [
            {
                row.asked[0]: float(row.asked[1]),
                row.enough[0]: _number(row.enough[1]),
                "too_little": _number(row.too_little),
                "impossible": None if row.impossible is None else _number(row.impossible),
                **row.told,
            }
            for row in rows
        ]
    )


def rows_of(found: Iterable[Answered]) -> list[WishRow]:
    """Return the rows of wishes; errors as `tabulate_wishes`."""
    rows = [one.row for one in found]
    kinds = {(row.asked[0], row.enough[0]) for row in rows}
    if len(kinds) != 1:
        raise InputError(f"wishes must be of one kind, at least one, got {len(kinds)} kinds")
    return rows


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
