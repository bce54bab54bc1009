"""Maximise the relaxation's bound: a concave function of as many multipliers as there are items and cuts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mechdesign.methods.row_designs.programme import RowProgramme
from mechdesign.methods.row_designs.relaxation.forms import RowForms
from mechdesign.program.clock import Clock
from mechdesign.workloads.queries import Floats

RANK_TOLERANCE = 1e-11
FIRST_BARRIER = 1e-2
BARRIER_FALL = 0.1
CLOSE = 1e-2
NEARBY = 0.2
"""Newton's steps end where they promise this part of the barrier's weight: of its last weight, and of those before."""

MOST_STEPS = 60
MOST_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Frame:
    """Hold what stays the same on the way: programme, forms, and bases.

    Attributes:
        root: F, K x m, with `F F' = Gc` and m its rank.
        base: Q, K x (K-1), orthonormal, with `Q'p = 0`.
    """

    programme: RowProgramme
    forms: RowForms
    root: Floats
    base: Floats

    @classmethod
    def of(cls, programme: RowProgramme, forms: RowForms) -> "Frame":
        """Take the roots of a programme's Gram matrix."""
        base = np.linalg.qr(np.column_stack([programme.prior, np.eye(programme.size)]))[0][:, 1 : programme.size]
        values, vectors = np.linalg.eigh(base.T @ programme.gram @ base)
        kept = values > RANK_TOLERANCE * values[-1]
        return cls(programme, forms, base @ (vectors[:, kept] * np.sqrt(values[kept])), base)


@dataclass(frozen=True, eq=False)
class Place:
    """Give the value, slope and curvature of the barrier problem at multipliers x, and the moments that belong to them.

        2 tr (F'T F)^(1/2) + 1'T 1 + mu (log det Q'T Q + log nu + sum_j log z_j),   T = T(x),

    is to be as large as can be. Without the barrier, of weight mu, its maximum is that of (R),

        minimise  tr(Gc A^-1),   A = L X L',   A p = 1,   X >= 0 with equal numbers on its diagonal,

    X being moments of (1, s), s signs. `A = 1 1' + F (F'T F)^(-1/2) F' + mu Q (Q'T Q)^-1 Q'`, `q = A g / nu` and
    `tau = g'q / nu + mu / nu` are the moments of r and the weight of all rows there.

    Raises:
        LinAlgError: where the function is not defined.
    """

    frame: Frame
    multipliers: Floats
    barrier: float

    def __post_init__(self) -> None:
        cuts = self.multipliers[self.frame.forms.size :]
        if self.level <= 0 or (len(cuts) and cuts.min() <= 0):
            raise LinAlgError("outside")
        if self._spectrum[0][0] <= 0 or self._based[0][0] <= 0:
            raise LinAlgError("outside")

    @cached_property
    def level(self) -> float:
        """nu."""
        return self.frame.forms.level(self.multipliers)

    @cached_property
    def slope(self) -> Floats:
        """g."""
        return self.frame.forms.linear @ self.multipliers

    @cached_property
    def matrix(self) -> Floats:
        """T."""
        return self.frame.forms.matrix(self.multipliers)

    @cached_property
    def _spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues of `F'T F`, and F times its eigenvectors."""
        values, vectors = np.linalg.eigh(self.frame.root.T @ self.matrix @ self.frame.root)
        return values, self.frame.root @ vectors

    @cached_property
    def _based(self) -> tuple[Floats, Floats]:
        """Eigenvalues of `Q'T Q`, and Q times its eigenvectors; those of `F'T F` serve where F has as many columns."""
        if self.frame.root.shape == self.frame.base.shape:
            return self._spectrum
        values, vectors = np.linalg.eigh(self.frame.base.T @ self.matrix @ self.frame.base)
        return values, self.frame.base @ vectors

    @cached_property
    def trace(self) -> float:
        """`tr (F'T F)^(1/2)`."""
        return float(np.sqrt(self._spectrum[0]).sum())

    @cached_property
    def cost(self) -> float:
        """`-1'T 1`, which is the sum of the prices."""
        return float(-self.matrix.sum())

    @property
    def bound(self) -> float:
        """The bound of `tr(Gc A^-1)`, about: what the best multiple of x gives."""
        return self.trace**2 / self.cost if self.cost > 0 else 0.0

    @cached_property
    def value(self) -> float:
        """What is to be largest."""
        cuts = self.multipliers[self.frame.forms.size :]
        logs = float(np.log(self._based[0]).sum() + np.log(self.level) + np.log(cuts).sum())
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
        forms = self.frame.forms
        rise = forms.signs * ((self.information @ forms.directions) * forms.directions).sum(axis=0)
        rise += forms.constant * self.total - 2 * forms.linear.T @ self.means
        rise[forms.size :] += self.barrier / self.multipliers[forms.size :]
        gradient: Floats = rise
        return gradient

    def newton(self) -> Floats:
        """Return Newton's step."""
        forms = self.frame.forms
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
        forms = self.frame.forms
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


def ascend(frame: Frame, start: Floats, tolerance: float, clock: Clock, barrier: float | None = None) -> Place:
    """Follow the barrier's maxima down to a relative error of the bound, by Newton's steps.

    Args:
        frame: the problem.
        start: multipliers where the function is defined, as `first_multipliers` gives them.
        tolerance: the bound's distance from the relaxation's optimum, as a part of it.
        clock: asked between steps.
        barrier: the first weight of the barrier; FIRST_BARRIER of the value by default.

    Raises:
        LimitReachedError: when the clock runs out.
    """
    parts = frame.programme.size + len(frame.forms.cuts)
    place = Place(frame, start, 0.0)
    last = tolerance * place.bound / parts
    weight = max(last, barrier if barrier is not None else FIRST_BARRIER * place.bound / frame.programme.size)
    while True:
        is_last = weight <= 1.01 * last
        place, is_done = _climbed(Place(frame, place.multipliers, weight), CLOSE if is_last else NEARBY, clock)
        if is_last or not is_done:
            return place
        last = tolerance * place.bound / parts
        weight = max(BARRIER_FALL * weight, last)


def _climbed(place: Place, precision: float, clock: Clock) -> tuple[Place, bool]:
    """Take Newton's steps until one promises a small part of the barrier's weight; tell whether that was reached."""
    for _ in range(MOST_STEPS):
        clock.left()
        step = place.newton()
        rise = float(step @ place.gradient)
        if rise < precision * place.barrier:
            return place, True
        moved = _searched(place, step, rise)
        if moved is None:
            break
        place = moved
    return place, False


def _searched(place: Place, step: Floats, rise: float) -> Place | None:
    """Go as far along a step as a tenth of the rise that it promises; None where floats see no rise."""
    length = 1.0
    for _ in range(MOST_HALVINGS):
        try:
            tried = Place(place.frame, place.multipliers + length * step, place.barrier)
        except LinAlgError:
            length /= 2
            continue
        if tried.value >= place.value + 0.1 * length * rise:
            return tried
        if rise < 1e-10 * abs(place.value):
            return tried if length == 1.0 else None
        length /= 2
    return None


def first_multipliers(frame: Frame) -> Floats:
    """Return multipliers that are p for the entries, times the best scale; for a frame without cuts."""
    place = Place(frame, frame.programme.prior, 0.0)
    found: Floats = place.multipliers * (place.trace / place.cost) ** 2
    return found


def with_cuts(frame: Frame, known: Floats) -> Floats:
    """Return multipliers where the first ones are known and those of new cuts are small enough.

    Raises:
        LinAlgError: where the function is not defined even without the new cuts.
    """
    missing = frame.forms.count - len(known)
    small = 1e-2 * float(known[: frame.forms.size].mean()) * (frame.forms.entry - 1) ** 2 / max(missing, 1)
    for _ in range(MOST_HALVINGS):
        tried = np.concatenate([known, np.full(missing, small)])
        try:
            Place(frame, tried, 0.0)
        except LinAlgError:
            small /= 4
        else:
            return tried
    raise LinAlgError("outside")
