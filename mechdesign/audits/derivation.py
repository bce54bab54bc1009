"""Derivation from the geometric mechanism (GM): the exact post-processing, if there is one.

P is derived from GM when `P = T GM` for a column-stochastic T, `T[i,k] = Pr[final output i | GM output k]`. With
`GM[k,j] = c_k alpha^|k-j|`, `c_0 = c_n = 1/(1+alpha)` and `c_k = (1-alpha)/(1+alpha)` between them, the inverse of GM
is tridiagonal, so the only candidate is

    T[i,0] = (P[i,0] - alpha P[i,1]) / (1-alpha),    T[i,n] = (P[i,n] - alpha P[i,n-1]) / (1-alpha),
    T[i,k] = ((1+alpha^2) P[i,k] - alpha (P[i,k-1] + P[i,k+1])) / (1-alpha)^2    for 0 < k < n.

Its columns sum to 1 because those of P do. Inner entries are nonnegative exactly where the triple test of
`derivation` passes, the outer ones where P is alpha-DP at its ends.

A layered law is derived at every n or, without slopes, at none. From input b - 1 on an entry of its layer is alpha
times the one before: that triple is `P[i,b-1] >= alpha P[i,b-2]`, which is privacy, and those beyond are equalities.
All other rows are those of GM. So n is in no triple that can fail, and T is the identity but for b x b entries at each
end. With slopes a triple is affine in 1/(n+1). The explicit fair mechanism is derived at no n >= 2: at the middle input
the powers in row 0 end with `h-1, h, h`, and `1 + alpha^2 < 1 + alpha`. Reference: Gupte, Sundararajan, "Universally
optimal privacy mechanisms for minimax agents", PODS 2010, theorem 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpz

from mechdesign.arguments import checked
from mechdesign.errors import InputError, RefusedError
from mechdesign.laws.law import Law
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.layered import MOST_PEOPLE, LayeredMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.tightest import Tightest, tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph, Weights
from mechdesign.problem.privacy import Privacy
from mechdesign.rational import Number


@dataclass(frozen=True)
class Violation:
    """An inner triple `P[i,j-1], P[i,j], P[i,j+1]` (j = `input`) that no post-processing of GM can produce."""

    output: int
    input: int


@dataclass(frozen=True)
class Obstacle:
    """An inequality `left >= right` that every mechanism derived from GM satisfies, and this one does not.

    `kind` is `privacy` (`P[i,a] >= alpha P[i,b]` for the neighbours `inputs = (a, b)`) or `triple`
    (`P[i,j] - alpha P[i,j-1] >= alpha (P[i,j+1] - alpha P[i,j])` for `inputs = (j-1, j, j+1)`), with i = `output`.
    `probabilities` are the entries of P at the inputs.
    """

    kind: str
    output: int
    inputs: tuple[int, ...]
    probabilities: tuple[Fraction, ...]
    left: Fraction
    right: Fraction

    @property
    def inequality(self) -> str:
        """The two sides of the inequality in symbols."""
        i = self.output
        if self.kind == "privacy":
            low, high = self.inputs
            return f"P[{i},{low}] >= alpha P[{i},{high}]"
        before, j, after = self.inputs
        return f"P[{i},{j}] - alpha P[{i},{before}] >= alpha (P[{i},{after}] - alpha P[{i},{j}])"


@dataclass(frozen=True)
class Derivation:
    """The answer at one alpha: `remap` is T, shape (n_outputs, n_inputs), or None where `obstacle` forbids it.

    `tightest` is the largest alpha for which the mechanism is alpha-DP.
    """

    alpha: Fraction
    tightest: Fraction | None
    remap: Mechanism | None
    obstacle: Obstacle | None

    @property
    def derivable(self) -> bool:
        """Whether the mechanism is GM followed by a post-processing."""
        return self.remap is not None

    @property
    def targets(self) -> tuple[int | None, ...]:
        """The final output that each GM output always becomes; None where T draws at random."""
        if self.remap is None:
            return ()
        columns = zip(*self.remap.weights, strict=True)
        return tuple(column.index(max(column)) if max(column) == self.remap.denominator else None for column in columns)


@checked
def derive(mechanism: Mechanism, alpha: Number | None = None) -> Derivation:
    """Derive a mechanism for counts from GM by randomised post-processing, or find why that is impossible.

    Args:
        mechanism: P, shape (n_outputs, n + 1); the outputs need not be counts.
        alpha: GM's alpha; by default the tightest one of P. Where P ignores its input that is 1, and any GM will do.

    Raises:
        InputError: for a single input, and where no alpha is given and epsilon is infinite.
        RefusedError: if `T GM` were not P, which is checked in integers before T is returned.

    >>> coin = Mechanism(((3, 1), (1, 3)), 4)
    >>> derive(coin, "1/5").remap
    Mechanism(weights=((7, 1), (1, 7)), denominator=8)
    """
    if mechanism.n_inputs < 2:
        raise InputError("a mechanism for counts must have at least 2 inputs, got 1")
    path = tightest_alpha(mechanism.weights, NeighbourGraph.path(mechanism.n_inputs))
    base = path.alpha if alpha is None else Privacy(alpha=alpha).alpha
    if base is None:
        raise InputError(
            f"mechanism must have a finite epsilon, got output {path.output}, which is impossible for input {path.low} "
            f"but not for {path.high}"
        )
    if path.alpha is None or path.alpha < base:
        return Derivation(base, path.alpha, None, _privacy_obstacle(mechanism, path, base))
    violation = derivation_violation(mechanism.weights, base) if base < 1 else None
    if violation is not None:
        return Derivation(base, path.alpha, None, _triple_obstacle(mechanism, violation, base))
    remap = _candidate(mechanism, base)
    if not gives_back(remap, mechanism, base):
        raise RefusedError("the remap was refused: applied to GM it does not give the mechanism back")
    return Derivation(base, path.alpha, remap, None)


@dataclass(frozen=True)
class LawDerivation:
    """The answer whether a law is derived from GM at every size.

    Attributes:
        law: the law, of depth b.
        first: the answer at the law's least n. Its remap is that of every n, but for identity between the ends: outputs
            below b become outputs below b, and the other end mirrors that. With slopes its entries depend on n.
        obstacle: the inequality that fails; None where the law is derived at every n.
        fails_at: the least n at which it fails; without slopes, and for the fair law, GM gives the law at no n.
    """

    law: Law
    first: Derivation
    obstacle: Obstacle | None
    fails_at: int | None

    @property
    def derivable(self) -> bool:
        """Whether GM gives the law at every n."""
        return self.obstacle is None

    @property
    def is_uniform(self) -> bool:
        """Whether the answer at one n is that at every other."""
        mechanism = self.law.mechanism
        return isinstance(mechanism, FairMechanism) or mechanism.slopes is None

    @property
    def remap(self) -> Mechanism | None:
        """The b x b entries of T at one end, at the least n; None where GM does not give the law at every n."""
        mechanism, whole = self.law.mechanism, self.first.remap
        if not self.derivable or whole is None or isinstance(mechanism, FairMechanism):
            return None
        corner = [row[: mechanism.depth] for row in whole.weights[: mechanism.depth]]
        return Mechanism.from_weights(corner, whole.denominator)


@checked
def derive_law(law: Law) -> LawDerivation:
    """Derive a law from GM at every n by randomised post-processing, or find where and why that is impossible.

    Raises:
        RefusedError: as `derive`.

    >>> from mechdesign.laws.finding import design_law
    >>> derive_law(design_law(alpha="4/5", loss="L1")).remap.n_inputs
    8
    """
    first, mechanism = derive(law.at(law.least), law.problem.privacy.alpha), law.mechanism
    if first.obstacle is not None or isinstance(mechanism, FairMechanism):
        return LawDerivation(law, first, first.obstacle, law.least)
    low, high = law.least, MOST_PEOPLE
    if mechanism.slopes is None or _law_violation(mechanism, high) is None:
        return LawDerivation(law, first, None, None)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _law_violation(mechanism, middle) is None else (low, middle)
    return LawDerivation(law, first, _law_obstacle(mechanism, high), high)


def _law_violation(mechanism: LayeredMechanism, n: int) -> Violation | None:
    """Find a triple of the layer that rules out derivation at n."""
    p, q = mechanism.alpha.as_integer_ratio()
    rows, _ = mechanism.table(n)
    return derivation_violation([[*(x * q for x in row), row[-1] * p] for row in rows], mechanism.alpha)


def _law_obstacle(mechanism: LayeredMechanism, n: int) -> Obstacle:
    """State the triple of the layer that rules out derivation at n."""
    violation = _law_violation(mechanism, n)
    assert violation is not None
    i, inputs = violation.output, range(violation.input - 1, violation.input + 2)
    entries = [value * mechanism.alpha**k for value, k in (mechanism.entry(i, j, n) for j in inputs)]
    return _stated_triple(i, violation.input, entries, mechanism.alpha)


def _privacy_obstacle(mechanism: Mechanism, path: Tightest, alpha: Fraction) -> Obstacle:
    i, a, b = path.output, path.low, path.high
    assert i is not None
    assert a is not None
    assert b is not None
    low, high = mechanism.fraction(i, a), mechanism.fraction(i, b)
    return Obstacle("privacy", i, (a, b), (low, high), low, alpha * high)


def _triple_obstacle(mechanism: Mechanism, violation: Violation, alpha: Fraction) -> Obstacle:
    i, j = violation.output, violation.input
    return _stated_triple(i, j, [mechanism.fraction(i, k) for k in (j - 1, j, j + 1)], alpha)


def _stated_triple(i: int, j: int, entries: Sequence[Fraction], alpha: Fraction) -> Obstacle:
    before, here, after = entries
    left, right = here - alpha * before, alpha * (after - alpha * here)
    return Obstacle("triple", i, (j - 1, j, j + 1), (before, here, after), left, right)


def _candidate(mechanism: Mechanism, alpha: Fraction) -> Mechanism:
    """`T = P GM^-1` over the denominator of P times `(q-p)^2`, alpha = p/q."""
    p, q = alpha.numerator, alpha.denominator
    if p == q:  # P ignores its input: equal columns go through any GM unchanged
        return mechanism
    return Mechanism.from_weights(
        (remap_row(row, p, q) for row in mechanism.weights), mechanism.denominator * (q - p) ** 2
    )


def remap_row(row: Sequence[int], p: int, q: int) -> list[int]:
    """Compute one row of `P GM^-1`, times `(q-p)^2`, from at least two integers; negative where GM cannot give it."""
    first = (q - p) * (q * row[0] - p * row[1])
    inner = [(q * q + p * p) * row[k] - p * q * (row[k - 1] + row[k + 1]) for k in range(1, len(row) - 1)]
    last = (q - p) * (q * row[-1] - p * row[-2])
    return [first, *inner, last]


def gives_back(remap: Mechanism, mechanism: Mechanism, alpha: Fraction) -> bool:
    """Return whether `T GM = P`, in integers. The inverse above is not used: GM is multiplied out."""
    if (remap.n_outputs, remap.n_inputs) != (mechanism.n_outputs, mechanism.n_inputs):
        return False
    p, q, denominator = fmpz(alpha.numerator), fmpz(alpha.denominator), fmpz(mechanism.denominator)
    scale = remap.denominator * (p + q) * q ** (remap.n_inputs - 1)
    return all(
        denominator * product == weight * scale
        for before, after in zip(remap.weights, mechanism.weights, strict=True)
        for product, weight in zip(_row_through_gm(before, p, q), after, strict=True)
    )


def _row_through_gm(row: Sequence[int], p: fmpz, q: fmpz) -> list[fmpz]:
    """Compute `sum_k row[k] GM[k,j]` for every j, times `(p+q) q^n`.

    flint's integers are used, since powers of a long alpha are very long.

    The sums over `k <= j` (of `p^(j-k) q^k`) and over `k > j` (of `p^(k-j) q^(n-k)`) are carried along, n steps each.
    """
    n = len(row) - 1
    power = [fmpz(1)]
    for _ in range(n):
        power.append(power[-1] * q)
    scaled = [(q if k in (0, n) else q - p) * value for k, value in enumerate(row)]
    upto, beyond = [scaled[0]], [fmpz(0)]
    for k in range(1, n + 1):
        upto.append(p * upto[-1] + power[k] * scaled[k])
        beyond.append(p * (beyond[-1] + power[k - 1] * scaled[n - k + 1]))
    return [power[n - j] * upto[j] + power[j] * beyond[n - j] for j in range(n + 1)]


def derivation_violation(weights: Weights, alpha: Fraction) -> Violation | None:
    """Find the first triple of an alpha-DP matrix for counts that rules out derivation from GM; None without one.

    GM derives P if and only if `(P[i,j] - a P[i,j-1]) >= a (P[i,j+1] - a P[i,j])` on every inner triple
    (Gupte, Sundararajan, "Universally optimal privacy mechanisms for minimax agents", PODS 2010, theorem 2).
    """
    p, q = alpha.numerator, alpha.denominator
    for i, row in enumerate(weights):
        for j in range(1, len(row) - 1):
            if (q * q + p * p) * row[j] < p * q * (row[j - 1] + row[j + 1]):
                return Violation(i, j)
    return None
