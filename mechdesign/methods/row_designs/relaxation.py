"""The relaxation of the programme over rows to moments of signs: a bound in a number of steps that is cubic in K.

What every row satisfies makes quadratic forms, whose multipliers make a bound; the best ones maximise a concave
function of as many numbers as there are groups and cuts, by Newton's steps on a barrier problem.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mechdesign.methods.row_designs.programme import RANK_TOLERANCE, RowDual, RowProgramme
from mechdesign.program.clock import Clock
from mechdesign.workloads.queries import Floats

Cuts = NDArray[np.int64]

FIRST_BARRIER = 1e-2
BARRIER_FALL = 0.1
CLOSE = 1e-2
NEARBY = 0.2
"""Newton's steps end where they promise this part of the barrier's weight: of its last weight, and of those before."""

MOST_STEPS = 60
MOST_HALVINGS = 40

TOLERANCE = 1e-7
INWARDS = 0.3
"""How far multipliers are moved away from the boundary that they are next to, before cuts are added."""

CONTINUED = 0.1
"""The barrier's weight to go on from after cuts are added, as a part of the bound for each multiplier."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The relaxation of a programme to moments of signs, with cuts.

    It knows forms in (1, r) that are at least 0 for every row r of entries 1 and E, and their multipliers' sums.

    An entry of a row has `(r_u - 1)(r_u - E) = 0`, with a multiplier v_u. A vector w of K+1 integers of odd sum has
    `(w.(1, s))^2 >= 1` for every vector s of signs (odd-clique inequalities; Deza and Laurent, Geometry of Cuts and
    Metrics, 1997), with a multiplier `z >= 0`; on rows that is `(a + b'r)^2 >= 1`. For multipliers `x = (v, z)`,

        sum_u v_u (r_u - 1)(r_u - E) - sum_j z_j ((a_j + b_j'r)^2 - 1) = nu - 2 g'r + r'Dr,

    where nu, g and D are linear in x. What is left after completing the square in the constant is

        T(x) = D - g g' / nu   with   r'T r <= 0 for every row,

    and T is concave in x, in the order of semidefinite matrices, where nu > 0.

    Attributes:
        programme: its prior is p.
        cuts: the vectors w, shape (c, K+1), of which entry 0 belongs to the constant.
        root: F, K x m, with `F F' = Gc` and m its rank.
        base: Q, K x (K-1), orthonormal, with `Q'p = 0`.
    """

    programme: RowProgramme
    cuts: Cuts
    root: Floats
    base: Floats

    @classmethod
    def of(cls, programme: RowProgramme, cuts: Cuts | None = None) -> "Relaxation":
        """Take the roots of a programme's Gram matrix; without cuts where none are given."""
        size = programme.size
        base = np.linalg.qr(np.column_stack([programme.prior, np.eye(size)]))[0][:, 1:size]
        values, vectors = np.linalg.eigh(base.T @ programme.gram @ base)
        kept = values > RANK_TOLERANCE * values[-1]
        none = np.zeros((0, size + 1), dtype=np.int64)
        root = base @ (vectors[:, kept] * np.sqrt(values[kept]))
        return cls(programme, none if cuts is None else cuts, root, base)

    @property
    def size(self) -> int:
        """K."""
        return self.programme.size

    @property
    def count(self) -> int:
        """K and the number of cuts: the number of multipliers."""
        return self.size + len(self.cuts)

    @cached_property
    def directions(self) -> Floats:
        """The vectors whose squares make D: the unit vectors, then the b_j; shape (K, count)."""
        return np.hstack([np.eye(self.size), self._slopes.T])

    @cached_property
    def signs(self) -> Floats:
        """1 for an entry and -1 for a cut: `D = sum_i sign_i x_i direction_i direction_i'`."""
        return np.concatenate([np.ones(self.size), -np.ones(len(self.cuts))])

    @cached_property
    def linear(self) -> Floats:
        """The matrix that takes x to g, shape (K, count)."""
        return np.hstack([(1 + self.programme.entry) / 2 * np.eye(self.size), self._offsets * self._slopes.T])

    @cached_property
    def constant(self) -> Floats:
        """The vector whose product with x is nu, shape (count,)."""
        return np.concatenate([np.full(self.size, self.programme.entry), 1 - self._offsets**2])

    def level(self, multipliers: Floats) -> float:
        """Return nu."""
        return float(self.constant @ multipliers)

    def matrix(self, multipliers: Floats) -> Floats:
        """Return T, K x K, symmetric."""
        slope = self.linear @ multipliers
        squares = (self.directions * (self.signs * multipliers)) @ self.directions.T
        whole = squares - np.outer(slope, slope) / self.level(multipliers)
        half: Floats = (whole + whole.T) / 2
        return half

    def diagonal(self, multipliers: Floats) -> Floats:
        """Return d, shape (K+1,), of sum 0: the entries' part of the forms, written in (1, s)."""
        parts = multipliers[: self.size] * (self.programme.entry - 1) ** 2 / 4
        return np.concatenate([[parts.sum()], -parts])

    @cached_property
    def _slopes(self) -> Floats:
        found: Floats = 2.0 / (self.programme.entry - 1) * self.cuts[:, 1:].astype(np.float64)
        return found

    @cached_property
    def _offsets(self) -> Floats:
        entry = self.programme.entry
        found: Floats = self.cuts[:, 0] - (1 + entry) / (entry - 1) * self.cuts[:, 1:].sum(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class RelaxedPoint:
    """Multipliers x: the barrier problem's value, slope and curvature there, the moments of rows, and a proved bound.

        2 tr (F'T F)^(1/2) + 1'T 1 + mu (log det Q'T Q + log nu + sum_j log z_j),   T = T(x),

    is to be as large as can be. Without the barrier, of weight mu, its maximum is that of (R),

        minimise  tr(Gc A^-1),   A = L X L',   A p = 1,   X >= 0 with equal numbers on its diagonal,

    X being moments of (1, s), s signs. `A = 1 1' + F (F'T F)^(-1/2) F' + mu Q (Q'T Q)^-1 Q'`, `q = A g / nu` and
    `tau = g'q / nu + mu / nu` are the moments of r and the weight of all rows there.

    Whatever x is, it proves a bound. T has `r'T r <= 0` for all rows; let `C = T + (p y' + y p')/2` with y such that
    `C 1 = 0`, then C is semidefinite where T is on the vectors w of `p'w = 0`, and `r'C r <= (p'r)(y'r)`. With
    `B = C F (F'C F)^(-3/2) F'C` then `B Gc B = C F (F'C F)^-1 F'C <= C`, in the order of semidefinite matrices, so
    that B and y prove

        variance >= tr(B Gc)^2 / 1'y + constant,   tr(B Gc) = tr (F'T F)^(1/2),   1'y = -1'T 1.

    Raises:
        LinAlgError: where the function is not defined.
    """

    relaxation: Relaxation
    multipliers: Floats
    barrier: float = 0.0

    def __post_init__(self) -> None:
        if self.level <= 0 or self.cut_multipliers.min(initial=1.0) <= 0:
            raise LinAlgError("outside")
        if self._spectrum[0][0] <= 0 or self._based[0][0] <= 0:
            raise LinAlgError("outside")

    @cached_property
    def level(self) -> float:
        """nu."""
        return self.relaxation.level(self.multipliers)

    @cached_property
    def slope(self) -> Floats:
        """g."""
        return self.relaxation.linear @ self.multipliers

    @cached_property
    def matrix(self) -> Floats:
        """T."""
        return self.relaxation.matrix(self.multipliers)

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues of `F'T F`, and F times its eigenvectors."""
        values, vectors = np.linalg.eigh(self.relaxation.root.T @ self.matrix @ self.relaxation.root)
        return values, self.relaxation.root @ vectors

    @cached_property
    def _based(self) -> tuple[Floats, Floats]:
        """Eigenvalues of `Q'T Q`, and Q times its eigenvectors; those of `F'T F` serve where F has as many columns."""
        if self.relaxation.root.shape == self.relaxation.base.shape:
            return self._spectrum
        values, vectors = np.linalg.eigh(self.relaxation.base.T @ self.matrix @ self.relaxation.base)
        return values, self.relaxation.base @ vectors

    @cached_property
    def trace(self) -> float:
        """`tr (F'T F)^(1/2)`."""
        return float(np.sqrt(self._spectrum[0]).sum())

    @cached_property
    def cost(self) -> float:
        """`-1'T 1`, which is the sum of the prices."""
        return float(-self.matrix.sum())

    @property
    def scale(self) -> float:
        """The bound of `tr(Gc A^-1)`, about: what the best multiple of x gives."""
        return self.trace**2 / self.cost if self.cost > 0 else 0.0

    @property
    def variance(self) -> float:
        """The bound of the variance for a user, about."""
        return self.scale + self.relaxation.programme.constant

    @cached_property
    def value(self) -> float:
        """What is to be largest."""
        logs = float(np.log(self._based[0]).sum() + np.log(self.level) + np.log(self.cut_multipliers).sum())
        return 2 * self.trace - self.cost + self.barrier * logs

    @cached_property
    def information(self) -> Floats:
        """A, the second moments of rows."""
        values, vectors = self._spectrum
        inner, based = self._based
        whole = 1 + (vectors / np.sqrt(values)) @ vectors.T + self.barrier * (based / inner) @ based.T
        half: Floats = (whole + whole.T) / 2
        return half

    @cached_property
    def means(self) -> Floats:
        """q, the first moments of rows."""
        found: Floats = self.information @ self.slope / self.level
        return found

    @property
    def total(self) -> float:
        """tau, the weight of all rows: the sum of `theta_r / (p'r)`."""
        return (float(self.slope @ self.means) + self.barrier) / self.level

    @cached_property
    def gradient(self) -> Floats:
        """How fast the value rises in each multiplier: what the moments lack in its form."""
        forms = self.relaxation
        rise = forms.signs * ((self.information @ forms.directions) * forms.directions).sum(axis=0)
        rise += forms.constant * self.total - 2 * forms.linear.T @ self.means
        rise[forms.size :] += self.barrier / self.multipliers[forms.size :]
        gradient: Floats = rise
        return gradient

    @property
    def cut_multipliers(self) -> Floats:
        """z, shape (c,)."""
        return self.multipliers[self.relaxation.size :]

    @cached_property
    def dual(self) -> RowDual:
        """B and y, and d, of sum 0, and the cuts that prove them."""
        root, prior = self.relaxation.root, self.relaxation.programme.prior
        sums = self.matrix.sum(axis=1)
        prices = prior * sums.sum() - 2 * sums
        charged = self.matrix + (np.outer(prior, prices) + np.outer(prices, prior)) / 2
        values, vectors = np.linalg.eigh(root.T @ charged @ root)
        sides = (charged @ root @ vectors) / values**0.75
        return RowDual(
            self.relaxation.programme,
            sides @ sides.T,
            prices,
            diagonal=self.relaxation.diagonal(self.multipliers),
            cuts=self.relaxation.cuts,
            multipliers=self.cut_multipliers,
        )

    @cached_property
    def shares(self) -> Floats:
        """How often each entry is E, over rows weighed by `theta_r / (p'r)`; shape (K,)."""
        found: Floats = (self.means / self.total - 1) / (self.relaxation.programme.entry - 1)
        return found

    @cached_property
    def together(self) -> Floats:
        """How often two entries are both E, over the same rows; K x K, with `shares` on the diagonal."""
        step = self.relaxation.programme.entry - 1
        found: Floats = self.information / self.total - 1
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

    def newton(self) -> Floats:
        """Return Newton's step."""
        forms = self.relaxation
        values, vectors = self._spectrum
        inner, based = self._based
        roots = np.sqrt(values)
        weights = 1 / (np.multiply.outer(roots, roots) * np.add.outer(roots, roots))
        others = self.barrier / np.multiply.outer(inner, inner)
        if based is vectors:
            bent = self._bends(vectors, weights + others)
        else:
            bent = self._bends(vectors, weights) + self._bends(based, others)
        turned = forms.linear - np.outer(self.slope, forms.constant / self.level)
        bent += 2 / self.level * (turned.T @ self.information @ turned)
        bent += self.barrier / self.level**2 * np.outer(forms.constant, forms.constant)
        bent[np.diag_indices(forms.count)] += 1e-14 * bent.diagonal()
        cuts = np.arange(forms.size, forms.count)
        bent[cuts, cuts] += self.barrier / self.multipliers[cuts] ** 2
        step: Floats = cho_solve(cho_factor(bent, check_finite=False), self.gradient, check_finite=False)
        return step

    def _bends(self, vectors: Floats, weights: Floats) -> Floats:
        """Return the sums over a, b of weights times the products of `(V'dT_i V)_ab`, for all pairs of multipliers.

        `dT_i = sign_i f_i f_i' - (c_i g' + g c_i') / nu` with `c_i = linear_i - g constant_i / (2 nu)`.
        """
        forms = self.relaxation
        slope = vectors.T @ self.slope
        turned = (forms.linear.T @ vectors - np.outer(forms.constant / (2 * self.level), slope)) / self.level
        ahead = forms.directions.T @ vectors
        moved = (ahead * forms.signs[:, None])[:, :, None] * ahead[:, None, :]
        moved -= turned[:, :, None] * slope
        moved -= slope[:, None] * turned[:, None, :]
        moved *= np.sqrt(weights)
        flat = moved.reshape(forms.count, -1)
        products: Floats = flat @ flat.T
        return products


def relax(programme: RowProgramme, clock: Clock, tolerance: float = TOLERANCE) -> RelaxedPoint:
    """Solve the relaxation of the programme over rows to moments of signs; whatever comes out is a bound.

    Args:
        programme: with its prior.
        clock: asked between steps.
        tolerance: the relative error of the bound, against the relaxation's optimum.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    relaxation = Relaxation.of(programme)
    return _ascended(relaxation, _first_multipliers(relaxation), tolerance, clock)


def relax_with_cuts(bound: RelaxedPoint, cuts: Cuts, clock: Clock, tolerance: float = TOLERANCE) -> RelaxedPoint:
    """Solve a relaxation again with other cuts, from where it ended.

    Args:
        bound: where to begin; multipliers of the cuts that it has are kept.
        cuts: vectors w of odd sums, at least one, shape (c, K+1).
        clock: asked between steps.
        tolerance: as for `relax`.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    old, size = bound.relaxation, bound.relaxation.size
    known = dict(zip(map(tuple, old.cuts.tolist()), bound.cut_multipliers.tolist(), strict=True))
    ordered = sorted(map(tuple, cuts.tolist()), key=lambda cut: cut not in known)
    kept = [known[cut] for cut in ordered if cut in known]
    inside = np.zeros(size + len(kept))
    inside[:size] = INWARDS * _first_multipliers(replace(old, cuts=old.cuts[:0]))
    inside += (1 - INWARDS) * np.append(bound.multipliers[:size], kept)
    relaxation = replace(old, cuts=np.array(ordered, dtype=np.int64))
    barrier = CONTINUED * bound.scale / relaxation.count
    return _ascended(relaxation, with_cuts(relaxation, inside), tolerance, clock, barrier)


def _ascended(
    relaxation: Relaxation, start: Floats, tolerance: float, clock: Clock, barrier: float | None = None
) -> RelaxedPoint:
    """Follow the barrier's maxima down to a relative error of the bound, by Newton's steps.

    Args:
        relaxation: the problem.
        start: multipliers where the function is defined.
        tolerance: the bound's distance from the relaxation's optimum, as a part of it.
        clock: asked between steps.
        barrier: the first weight of the barrier; FIRST_BARRIER of the value by default.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    parts = relaxation.count
    point = RelaxedPoint(relaxation, start)
    last = tolerance * point.scale / parts
    weight = max(last, barrier if barrier is not None else FIRST_BARRIER * point.scale / relaxation.size)
    while True:
        is_last = weight <= 1.01 * last
        point, is_done = _climbed(
            RelaxedPoint(relaxation, point.multipliers, weight), CLOSE if is_last else NEARBY, clock
        )
        if is_last or not is_done:
            return point
        last = tolerance * point.scale / parts
        weight = max(BARRIER_FALL * weight, last)


def _climbed(point: RelaxedPoint, precision: float, clock: Clock) -> tuple[RelaxedPoint, bool]:
    """Take Newton's steps until one promises a small part of the barrier's weight; return whether that was reached."""
    for _ in range(MOST_STEPS):
        clock.left()
        step = point.newton()
        rise = float(step @ point.gradient)
        if rise < precision * point.barrier:
            return point, True
        moved = _searched(point, step, rise)
        if moved is None:
            break
        point = moved
    return point, False


def _searched(point: RelaxedPoint, step: Floats, rise: float) -> RelaxedPoint | None:
    """Go as far along a step as a tenth of the rise that it promises; None where floats see no rise."""
    length = 1.0
    for _ in range(MOST_HALVINGS):
        try:
            tried = RelaxedPoint(point.relaxation, point.multipliers + length * step, point.barrier)
        except LinAlgError:
            length /= 2
            continue
        if tried.value >= point.value + 0.1 * length * rise:
            return tried
        if rise < 1e-10 * abs(point.value):
            return tried if length == 1.0 else None
        length /= 2
    return None


def _first_multipliers(relaxation: Relaxation) -> Floats:
    """Return multipliers that are p for the entries, times the best scale; for a relaxation without cuts."""
    point = RelaxedPoint(relaxation, relaxation.programme.prior)
    found: Floats = point.multipliers * (point.trace / point.cost) ** 2
    return found


def with_cuts(relaxation: Relaxation, known: Floats) -> Floats:
    """Return multipliers where the first ones are known and those of new cuts are small enough.

    Raises:
        LinAlgError: where the function is not defined even without the new cuts.
    """
    missing = relaxation.count - len(known)
    small = 1e-2 * float(known[: relaxation.size].mean()) * (relaxation.programme.entry - 1) ** 2 / max(missing, 1)
    for _ in range(MOST_HALVINGS):
        tried = np.concatenate([known, np.full(missing, small)])
        try:
            RelaxedPoint(relaxation, tried)
        except LinAlgError:
            small /= 4
        else:
            return tried
    raise LinAlgError("outside")
