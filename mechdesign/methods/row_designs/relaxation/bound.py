"""Bound the variance of every local mechanism for a workload from below, in a number of steps that is cubic in K."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.relaxation.ascent import Frame, Place, ascend, first_multipliers, with_cuts
from mechdesign.methods.row_designs.relaxation.forms import Cuts, RowForms, no_cuts
from mechdesign.program.clock import Clock
from mechdesign.workloads.queries import Floats

TOLERANCE = 1e-7
INWARDS = 0.3
"""How far multipliers are moved away from the boundary that they are next to, before cuts are added."""

CONTINUED = 0.1
"""The barrier's weight to go on from after cuts are added, as a part of the bound for each multiplier."""


@dataclass(frozen=True, eq=False)
class RelaxedBound:
    """Hold a solution of the relaxation: the dual that proves a bound, and the moments of rows that would reach it.

    Multipliers x of what every row satisfies give T with `r'T r <= 0` for all rows (`RowForms`). Let
    `C = T + (p y' + y p')/2` with y such that `C 1 = 0`, then C is semidefinite where T is on the vectors w of
    `p'w = 0`, and `r'C r <= (p'r)(y'r)`. With `Gc = F F'` take `B = C F (F'C F)^(-3/2) F'C`; then
    `B Gc B = C F (F'C F)^-1 F'C <= C`, in the order of semidefinite matrices, so that B and y prove

        variance >= tr(B Gc)^2 / 1'y + constant,   tr(B Gc) = tr (F'T F)^(1/2),   1'y = -1'T 1.

    Attributes:
        place: the multipliers, and what they give.
    """

    place: Place

    @property
    def programme(self) -> RowProgramme:
        """The programme that is bounded."""
        return self.place.frame.programme

    @property
    def cuts(self) -> Cuts:
        """The cuts in use, shape (c, K+1)."""
        return self.place.frame.forms.cuts

    @property
    def cut_multipliers(self) -> Floats:
        """z, shape (c,)."""
        return self.place.multipliers[self.programme.size :]

    @property
    def variance(self) -> float:
        """The bound of the variance for a user, about."""
        return self.place.bound + self.programme.constant

    @property
    def scale(self) -> float:
        """The bound of `tr(Gc A^-1)`, about."""
        return self.place.bound

    @cached_property
    def prices(self) -> Floats:
        """y, shape (K,)."""
        rows = self.place.matrix.sum(axis=1)
        found: Floats = self.programme.prior * rows.sum() - 2 * rows
        return found

    @cached_property
    def dual(self) -> Floats:
        """B, K x K, symmetric."""
        root, prior, prices = self.place.frame.root, self.programme.prior, self.prices
        charged = self.place.matrix + (np.outer(prior, prices) + np.outer(prices, prior)) / 2
        values, vectors = np.linalg.eigh(root.T @ charged @ root)
        sides = (charged @ root @ vectors) / values**0.75
        found: Floats = sides @ sides.T
        return found

    @cached_property
    def diagonal(self) -> Floats:
        """d, shape (K+1,), with the sum 0."""
        return self.place.frame.forms.diagonal(self.place.multipliers)

    @cached_property
    def shares(self) -> Floats:
        """How often each entry is E, over rows weighed by `theta_r / (p'r)`; shape (K,)."""
        found: Floats = (self.place.means / self.place.total - 1) / (self.programme.entry - 1)
        return found

    @cached_property
    def together(self) -> Floats:
        """How often two entries are both E, over the same rows; K x K, with `shares` on the diagonal."""
        step = self.programme.entry - 1
        found: Floats = self.place.information / self.place.total - 1
        found = (found / step - np.add.outer(self.shares, self.shares)) / step
        found[np.diag_indices(len(found))] = self.shares
        return found

    @cached_property
    def sign_moments(self) -> Floats:
        """Mean products of (1, s), s_u = 1 where an entry is E and -1 where it is 1; (K+1) x (K+1)."""
        size = len(self.shares)
        found = np.ones((size + 1, size + 1))
        found[0, 1:] = found[1:, 0] = 2 * self.shares - 1
        found[1:, 1:] = 4 * self.together - 2 * np.add.outer(self.shares, self.shares) + 1
        return found


def relax(programme: RowProgramme, clock: Clock, tolerance: float = TOLERANCE) -> RelaxedBound:
    """Solve the relaxation of the programme over rows to moments of signs; whatever comes out is a bound.

    Args:
        programme: with its prior.
        clock: asked between steps.
        tolerance: the relative error of the bound, against the relaxation's optimum.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    frame = Frame.of(programme, RowForms(programme.entry, programme.size, no_cuts(programme.size)))
    return RelaxedBound(ascend(frame, first_multipliers(frame), tolerance, clock))


def relax_with_cuts(bound: RelaxedBound, cuts: Cuts, clock: Clock, tolerance: float = TOLERANCE) -> RelaxedBound:
    """Solve a relaxation again with other cuts, from where it ended.

    Args:
        bound: where to begin; multipliers of the cuts that it has are kept.
        cuts: vectors w of odd sums, at least one, shape (c, K+1).
        clock: asked between steps.
        tolerance: as for `relax`.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    known = dict(zip(map(tuple, bound.cuts.tolist()), bound.cut_multipliers.tolist(), strict=True))
    ordered = sorted(map(tuple, cuts.tolist()), key=lambda cut: cut not in known)
    old = bound.place.frame
    plain = Frame(old.programme, RowForms(old.forms.entry, old.forms.size, no_cuts(old.forms.size)), old.root, old.base)
    inside = np.zeros(old.forms.size + sum(cut in known for cut in ordered))
    inside[: old.forms.size] = INWARDS * first_multipliers(plain)
    inside += (1 - INWARDS) * np.append(
        bound.place.multipliers[: old.forms.size], [known[cut] for cut in ordered if cut in known]
    )
    frame = replace(plain, forms=RowForms(old.forms.entry, old.forms.size, np.array(ordered, dtype=np.int64)))
    barrier = CONTINUED * bound.scale / frame.forms.count
    return RelaxedBound(ascend(frame, with_cuts(frame, inside), tolerance, clock, barrier))
