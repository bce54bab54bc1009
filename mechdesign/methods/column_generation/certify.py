"""The mechanism and the proof of the master's exact solution."""

from fractions import Fraction

from flint import fmpq

from mechdesign.certificate.multipliers import RowMultiplier, over_one_denominator, rounded_prior
from mechdesign.methods.column_generation.exact import ExactMaster
from mechdesign.methods.column_generation.frame import Frame
from mechdesign.methods.column_generation.generate import Generated
from mechdesign.methods.column_generation.pricing import best_pattern
from mechdesign.methods.column_generation.rows import MasterRow
from mechdesign.program.equalities import carry_multipliers, node_of
from mechdesign.program.exact.numbers import to_exact, to_fraction
from mechdesign.verify.certificates import Certificate

PRICE_CUTS = 4
"""How often prices that are too high are lowered before the kernel takes the rest off the bound."""


def is_short(generated: Generated, bits: int) -> bool:
    """Return whether no entry of P has a denominator of more bits."""
    return all(int(value.q).bit_length() <= bits for row in generated.solution.matrix for value in row)


def full_matrix(generated: Generated, bits: int | None = None) -> list[list[Fraction]]:
    """Return all of P, exact or rounded down to so many binary places; where folded, rows n-i are rows i reversed."""
    frame, rows = generated.frame, generated.solution.matrix
    if bits is None:
        kept = [[to_fraction(value) for value in row] for row in rows]
    else:
        kept = [[Fraction(int((value * (1 << bits)).floor()), 1 << bits) for value in row] for row in rows]
    return kept if not frame.folded else kept + [row[::-1] for row in reversed(kept[: frame.size // 2])]


def proof_of(generated: Generated, *, rounded: bool) -> Certificate:
    """Make a proof from the master's multipliers; negative parts, which are errors, are dropped."""
    frame, exact, duals = generated.frame, generated.master, list(generated.solution.duals)
    for k, row in enumerate(exact.rows):
        if row.kind in ("floor", "pair"):
            duals[k] = max(duals[k], fmpq(0))
        if row.kind == "loss":
            duals[k] = min(duals[k], fmpq(0))
    if not generated.is_exact:
        duals = _affordable(exact, duals)
    prior, factor = _least_favourable(frame, exact, duals, rounded=rounded)
    prices = [y * factor for y in _shared(frame, duals[: frame.kept])]
    if prior is not None:
        prices = [y + to_exact(w * frame.least_loss) for y, w in zip(prices, prior, strict=True)]
    multipliers = _on_ties(frame, [(row, y * factor) for row, y in zip(exact.rows, duals, strict=True) if y])
    for row, y in zip(exact.rows, duals, strict=True):
        if row.kind in ("floor", "pair") and y:
            multipliers += _on_rows(frame, row, y * factor)
    return over_one_denominator(multipliers, prices, prior, rounded=rounded)


def _affordable(exact: ExactMaster, duals: list[fmpq]) -> list[fmpq]:
    """Lower all prices alike until no row has a pattern that costs less than it is worth."""
    frame = exact.frame
    unit = 2 if frame.folded else 1  # what lowering every full price by 1 adds to each place of a kept row
    for _ in range(PRICE_CUTS):
        found = [best_pattern(frame, i, exact.reduced(i, duals)) for i in range(frame.kept)]
        cut = max(-value / (unit * sum((exact.powers[e] for e in p.exponents), fmpq(0))) for value, p in found)
        if cut <= 0:
            break
        for j in range(frame.kept):
            middle = frame.folded and 2 * j == frame.size - 1
            duals[j] -= cut * (unit if not middle else 1)
    return duals


def _shared(frame: Frame, values: list[fmpq]) -> list[fmpq]:
    """Spread multipliers of the kept column sums over all columns as prices."""
    size = frame.size
    if not frame.folded:
        return values
    return [values[min(j, size - 1 - j)] / (1 if 2 * j == size - 1 else 2) for j in range(size)]


def _on_ties(frame: Frame, rows: list[tuple[MasterRow, fmpq]]) -> list[RowMultiplier]:
    """Carry the multipliers of tied entries from entry to entry by the equalities that tie them."""
    supply: dict[int, fmpq] = {}
    for row, y in rows:
        if row.kind == "tied":
            for entry in frame.entries_of(row.i, row.j):
                node = node_of(frame.problem, entry)
                supply[node] = supply.get(node, fmpq(0)) + y / (2 if frame.folded else 1)
    return [
        RowMultiplier(tie.kind, *divmod(tie.first, frame.size), *divmod(tie.second, frame.size), m)
        for tie, m in carry_multipliers(frame.problem, supply)
    ]


def _on_rows(frame: Frame, row: MasterRow, y: fmpq) -> list[RowMultiplier]:
    """Put a multiplier of a floor or a pair of the master on the row, or rows, of the full LP."""
    k = row.k if row.kind == "pair" else row.j
    share = y * row.ratio[1] / (2 if frame.folded else 1)
    places = zip(frame.entries_of(row.i, row.j), frame.entries_of(row.i, k), strict=True)
    return [RowMultiplier(row.prop, *divmod(a, frame.size), *divmod(b, frame.size), share) for a, b in places]


def _least_favourable(
    frame: Frame, exact: ExactMaster, duals: list[fmpq], *, rounded: bool
) -> tuple[tuple[Fraction, ...] | None, fmpq]:
    """Return, in the worst case, the multipliers of the loss rows as a prior, and the factor that goes with it."""
    if not frame.problem.is_worst_case:
        return None, fmpq(1)
    size = frame.size
    losses = [-duals[k] for k in exact.loss_rows]
    weight = sum(losses, fmpq(0))
    if not weight:
        return (Fraction(1, size),) * size, fmpq(0)
    shares = [value / weight for value in _shared(frame, losses)]
    return rounded_prior(shares) if rounded else tuple(map(to_fraction, shares)), to_exact(frame.loss_span) / weight
