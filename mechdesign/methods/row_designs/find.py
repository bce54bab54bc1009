"""Find a mechanism and a dual for a workload on up to 32 groups of items."""

from dataclasses import replace

from mechdesign.methods.row_designs.asked import AskedRows
from mechdesign.methods.row_designs.generate import Generated, generate
from mechdesign.methods.row_designs.programme import FoundRows, RowProgramme
from mechdesign.methods.row_designs.weighing.support import basic_solution, concentrated, listed_rows

FOR_GENERATION = 0.7
"""The part of the gap that generation may leave; the rest is for fewer rows, and for rounding."""


def find_rows(programme: RowProgramme, asked: AskedRows) -> FoundRows:
    """Find rows, weights and a dual by generating rows, and reduce the mechanism to a basic one.

    Args:
        programme: the prior of its groups, and symmetries, which the mechanism will have.
        asked: what to reach; the search stops after the round in which the time is over.
    """
    reached = generate(
        programme,
        replace(asked, gap=FOR_GENERATION * asked.gap),
        lambda reached: asked.show(lambda: found_rows(programme, reached, asked.gap, asked.worst)),
    )
    return found_rows(programme, reached, asked.gap, asked.worst)


def found_rows(programme: RowProgramme, reached: Generated, gap: float, worst: bool) -> FoundRows:
    """Return what generation found with a basic mechanism, up to a fifth of the gap as good."""
    point = reached.point
    mechanism = point if worst else concentrated(programme, point, gap)
    own = programme.with_prior(point.prior)
    rows, weights = listed_rows(own, *basic_solution(own, mechanism, worst))
    how = f"rows generated in {reached.rounds} rounds"
    how += ", all rows looked at" if reached.is_complete else ", rows looked for by climbing"
    prices = point.prices + reached.excess * point.prior
    return FoundRows(rows, weights, point.prior, point.dual, prices, mechanism.variance, how)
