"""Audits of (epsilon, delta): the exact privacy curve of a noise table or of a matrix for counts, and its claims."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from mechdesign.arguments import checked
from mechdesign.audits.matrices import AnyMatrix, integer_matrix, open_matrix
from mechdesign.documents.noise_tables import NoiseTableFile, is_noise_table, read_noise_table_file
from mechdesign.errors import InputError
from mechdesign.mechanism.privacy_curve import Law, delta_at, least_ratio
from mechdesign.noise_tables.design import NoiseTableDesign
from mechdesign.noise_tables.guarantee import LARGE, parse_epsilon, ratio_below
from mechdesign.noise_tables.table import NoiseTable
from mechdesign.problem.privacy import loss_text
from mechdesign.rational import Number, as_rational, number_text
from mechdesign.verify.proving import Claim

USUAL = (Fraction(1, 2), Fraction(1), Fraction(2))
"""Epsilons at which a curve is shown where none are asked for."""

Start = int | str
LARGEST_HIDDEN = 10_000


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve: delta at an epsilon, for counts from a start on, never below the truth."""

    epsilon: Fraction
    start: Start
    delta: Fraction


@dataclass(frozen=True)
class CurveAudit:
    """The exact privacy curve of what gives counts a law each.

    Attributes:
        denominator: of weights.
        pairs: the laws of neighbours, in both orders, by the start from which on they are taken.
        table: the noise table, if it is one.
        file: where it was read, with the kind of the file.
        hide: outputs below it are one mark.
    """

    denominator: int
    pairs: tuple[tuple[Start, tuple[tuple[Law, Law], ...]], ...]
    table: NoiseTable | None = None
    file: NoiseTableFile | None = None
    hide: int = 0

    @cached_property
    def _pairs(self) -> dict[Start, tuple[tuple[Law, Law], ...]]:
        return dict(self.pairs)

    @property
    def starts(self) -> tuple[Start, ...]:
        """The starts: all counts, counts from 1 on, and large ones, as far as they differ."""
        return tuple(start for start, _ in self.pairs)

    def delta(self, epsilon: Fraction, start: Start = 0) -> Fraction:
        """Return delta at an epsilon, computed at a rational just below `exp(epsilon)`.

        Raises:
            InputError: for another start.
        """
        return delta_at(self._of(start), self.denominator, ratio_below(epsilon))

    def points(self, epsilons: Iterable[Fraction] = USUAL) -> list[CurvePoint]:
        """Return delta at every epsilon and start."""
        return [CurvePoint(epsilon, start, self.delta(epsilon, start)) for epsilon in epsilons for start in self.starts]

    def least_epsilon(self, delta: Number, start: Start = 0) -> str | None:
        """Write the least epsilon at which delta is at most a number, rounded up; None where none is large enough."""
        ratio = least_ratio(self._of(start), self.denominator, parse_delta(delta))
        return None if ratio is None else "0" if ratio == 1 else loss_text(1 / ratio)

    def claim(self, epsilon: Number, delta: Number, start: Start = 0) -> Claim:
        """Test the claim of (epsilon, delta)-privacy for counts from a start on."""
        asked, most = parse_epsilon(epsilon), parse_delta(delta)
        own = self.delta(asked, start)
        words = f"({number_text(asked)}, {number_text(most)})-DP for {words_of_start(start)}"
        return Claim(words, own <= most, f"delta is {float(own):.6g} there")

    def _of(self, start: Start) -> Sequence[tuple[Law, Law]]:
        found = self._pairs.get(start)
        if found is not None:
            return found
        if self.table is None or not isinstance(start, int) or not 0 <= start <= self.table.last:
            known = ", ".join(map(str, self.starts))
            raise InputError(f"start must be one of {known}, or a count with a row of its own, got start={start}")
        return tuple(self.table.pairs(start, self.hide))


def parse_delta(value: Number) -> Fraction:
    """Return a delta in [0, 1]; `InputError` for another."""
    found = as_rational(value, "delta")
    if not 0 <= found <= 1:
        raise InputError(f"delta must be in [0, 1], got delta={number_text(found)}")
    return found


def words_of_start(start: Start) -> str:
    """Say which counts a start means."""
    return "large counts" if start == LARGE else "all counts" if start == 0 else f"counts >= {start}"


@checked
def audit_curve(source: AnyMatrix | NoiseTable | NoiseTableDesign, *, hide: int = 0) -> CurveAudit:
    """Audit the exact privacy curve of a noise table, a matrix for counts, a design of either, or a file of one.

    Args:
        source: what gives each count the law of its output. Files of noise tables are our documents, whose claims are
            tested beside the curve, and those of ptable and the ONS.
        hide: of a noise table, outputs below it are published as one mark.

    Raises:
        InputError: for a file that is none, a matrix with negative entries, or `hide` with a matrix.

    >>> table = NoiseTable((((0, 4),), ((-1, 1), (0, 2), (1, 1))), 4)
    >>> audit_curve(table).least_epsilon("1/4", 1)
    '0.693148'
    """
    if not 0 <= hide <= LARGEST_HIDDEN:
        raise InputError(f"hide must be from 0 to {LARGEST_HIDDEN}, got hide={hide}")
    if isinstance(source, NoiseTableDesign):
        return _of_table(source.mechanism, hide)
    if isinstance(source, NoiseTable):
        return _of_table(source, hide)
    if isinstance(source, str | Path) and is_noise_table(source):
        found = read_noise_table_file(source, proved=False)
        return replace(_of_table(found.table, hide), file=found)
    if hide:
        raise InputError("hide goes with a noise table, got it with a matrix")
    weights, denominator = integer_matrix(open_matrix(source))
    if any(weight < 0 for row in weights for weight in row) or len(weights[0]) < 2:
        raise InputError("a curve needs a matrix of two inputs or more without negative entries, got another")
    laws = [{i: row[j] for i, row in enumerate(weights) if row[j]} for j in range(len(weights[0]))]
    pairs = [pair for a, b in pairwise(laws) for pair in ((a, b), (b, a))]
    return CurveAudit(denominator, ((0, tuple(pairs)),))


def _of_table(table: NoiseTable, hide: int) -> CurveAudit:
    firsts: dict[Start, int] = {0: 0, 1: 1, LARGE: table.last if table.following is None else table.following}
    pairs = tuple((start, tuple(table.pairs(count, hide))) for start, count in firsts.items() if count <= table.last)
    return CurveAudit(table.denominator, pairs, table, hide=hide)
