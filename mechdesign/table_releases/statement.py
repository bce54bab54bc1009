"""The statement of a release of tables: what it promises and what it does not, in words."""

from collections.abc import Sequence
from fractions import Fraction

from mechdesign.audits.curves import words_of_start
from mechdesign.noise_tables.problem import FIXED, NoiseTableProblem
from mechdesign.problem.privacy import rounded_up
from mechdesign.rational import number_text
from mechdesign.table_releases.promise import Promise

DIGITS = 4


def statement(
    problem: NoiseTableProblem, found: Sequence[tuple[Promise, Promise, Promise]], cells: int, has_domain: bool
) -> list[str]:
    """Write the sentences; deltas are rounded up."""
    said = [
        f"Under this name, by this secret, {cells} sets of variables were published so far, with the total. "
        f"Adding or removing a unit changes at most {cells} cells, and changing its answers {2 * cells}."
    ]
    said += [_sentence(*three) for three in found]
    if problem.zeros == FIXED:
        said.append("Zeros stay zero: a guarantee for counts from 1 on does not cover whether a cell is empty.")
    if not has_domain:
        said.append("The cells that occur are published, so which combinations occur is public.")
    return [
        *said,
        "Cells do not add up to their margins, and the noise averages out in sums of many cells.",
        "The guarantee is computational: anybody who has the secret can undo all noise, past noise too.",
        "Other releases about these units add up with this one; no ledger counts this release.",
    ]


def _sentence(one: Promise, total: Promise, changed: Promise) -> str:
    counts = words_of_start(one.start)
    return (
        f"For {counts}, adding or removing a unit has delta {_delta(one)} at epsilon {number_text(one.epsilon)} and "
        f"{_delta(total)} at {number_text(total.epsilon)}; changing its answers has {_delta(changed)} at "
        f"{number_text(changed.epsilon)}."
    )


def _delta(promise: Promise) -> str:
    return rounded_up(Fraction(promise.delta), DIGITS) if promise.delta else "0"
