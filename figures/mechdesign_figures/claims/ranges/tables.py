"""Claims on tables 5.2 and 5.3, on the printed numbers and on exact ones."""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign_figures.claims.ranges.conclusions import conclude, range_claim
from mechdesign_figures.claims.verdict import Case, Finding, judge
from mechdesign_figures.studies.design_cache import DesignCache
from mechdesign_figures.studies.ranges.printed import (
    EPSILONS,
    HAAR,
    HH2,
    HH4,
    TABLE_5_2,
    TABLE_5_3,
    Part,
)
from mechdesign_figures.studies.ranges.tables import error, published_queries

SMALL, LARGE = ("0.2", "0.4"), ("1", "1.1", "1.2", "1.4")
"""Epsilons that are read as the lower and the larger ones."""

PRINTED, EXACT = "printed", "exact"
LARGEST = 22
"""Logarithm of the largest number of items, which the text sets apart."""


@dataclass(frozen=True)
class Row:
    """A row of a table: the errors at one epsilon by system, printed or exact for the published queries."""

    kind: str
    part: Part
    epsilon: str

    def error(self, system: str) -> float:
        """Return the error of a system, times 1000."""
        if self.kind == PRINTED:
            return self.part.error(system, self.epsilon)
        return error(system, published_queries(self.part), self.epsilon)

    @property
    def errors(self) -> dict[str, float]:
        """The errors of all systems."""
        return {system: self.error(system) for system in self.part.systems}

    @property
    def best_tree(self) -> str:
        """The tree with the least error."""
        return min((system for system in self.part.systems if system != HAAR), key=self.error)

    @property
    def where(self) -> str:
        """The setting in words."""
        return f"{self.kind}, 2^{self.part.log2} items, epsilon = {self.epsilon}"

    @property
    def numbers(self) -> str:
        """All errors in words."""
        return ", ".join(f"{system} {found:.4g}" for system, found in self.errors.items())

    def case(self, true: bool, miss: float = 0.0, met: bool = True) -> Case:
        """Make the case of this row."""
        return Case(self.where, true, self.numbers, met, Fraction(miss))


def rows_of(parts: Sequence[Part], epsilons: Sequence[str] = EPSILONS, log2s: Sequence[int] = ()) -> Iterator[Row]:
    """List the rows of some parts, printed ones first."""
    for kind in (PRINTED, EXACT):
        for part in parts:
            if not log2s or part.log2 in log2s:
                yield from (Row(kind, part, epsilon) for epsilon in epsilons)


def judged(cases: Sequence[Case], condition: str = "", note: str = "") -> Finding:
    """Judge cases of rows, and tell how many are true of the printed and of the exact ones."""
    counts = []
    for kind in (PRINTED, EXACT):
        own = [case for case in cases if case.where.startswith(kind)]
        if own:
            counts.append(f"{kind}: true in {sum(case.true for case in own)} of {len(own)}")
    return judge(cases, condition, "; ".join([*counts, *([note] if note else [])]))


def gap(worse: float, better: float) -> float:
    """Return how much larger an error is than a smaller one, as a share of the larger one."""
    return 1 - better / worse


def _wavelet_first(cache: DesignCache, quick: bool) -> Finding:
    def case(row: Row) -> Case:
        tree = row.error(row.best_tree)
        return row.case(row.error(HAAR) < tree, gap(row.error(HAAR), tree))

    crossings = ", ".join(f"{crossing(part):.2g} at 2^{part.log2} items" for part in TABLE_5_2)
    return judged(
        list(map(case, rows_of(TABLE_5_2, SMALL))), note=f"exactly, Haar is the best up to epsilon = {crossings}"
    )


def crossing(part: Part) -> float:
    """Return the largest hundredth of epsilon at which HaarHRR has the least exact error for the published queries.

    Its noise is `V0 + 1` where that of a tree of OUE is `V0 = 4 x/(x - 1)^2`, so there is one crossing.
    """

    def wavelet_is_better(hundredths: int) -> bool:
        row = Row(EXACT, part, f"{hundredths / 100:.2f}")
        return row.error(HAAR) < row.error(row.best_tree)

    return bisect.bisect_left(range(1, 200), True, key=lambda found: not wavelet_is_better(found)) / 100


def _wavelet_margin(cache: DesignCache, quick: bool) -> Finding:
    def case(row: Row) -> Case:
        most = 0.1 if row.part.log2 == 8 else 0.01
        ahead = gap(row.error(row.best_tree), row.error(HAAR))
        return Case(row.where, ahead <= most, f"{ahead:.1%}", miss=Fraction(ahead - most))

    return judged(list(map(case, rows_of(TABLE_5_2, SMALL))))


def _tree_margin(cache: DesignCache, quick: bool) -> Finding:
    def case(row: Row) -> Case:
        ahead = gap(row.error(HAAR), row.error(row.best_tree))
        return Case(row.where, 0 < ahead <= 0.11, f"{row.best_tree} better by {ahead:.1%}", miss=Fraction(abs(ahead)))

    return judged(list(map(case, rows_of(TABLE_5_2, LARGE))))


def _four_is_best(cache: DesignCache, quick: bool) -> Finding:
    def case(kind: str, part: Part) -> Case:
        wins = [Row(kind, part, epsilon).best_tree for epsilon in EPSILONS]
        numbers = ", ".join(f"{system} {wins.count(system)}" for system in part.systems if system != HAAR)
        most = max(map(wins.count, wins))
        return Case(f"{kind}, 2^{part.log2} items", wins.count(HH4) == most, f"best of 8 rows: {numbers}")

    cases = [case(kind, part) for kind in (PRINTED, EXACT) for part in TABLE_5_2 if part.log2 != LARGEST]
    return judged(cases, note="; ".join(case.text for case in cases))


def _two_at_the_largest(cache: DesignCache, quick: bool) -> Finding:
    def case(row: Row) -> Case:
        ahead = gap(row.error(HH4), row.error(HH2))
        return Case(row.where, 0 < ahead <= 0.1, f"HH2 better by {ahead:.1%}", miss=Fraction(abs(ahead)))

    return judged(list(map(case, rows_of(TABLE_5_2, log2s=(LARGEST,)))))


def _quoted(cache: DesignCache, quick: bool) -> Finding:
    told = {HAAR: 0.787, HH4: 0.763}
    row = Row(PRINTED, TABLE_5_2[0], "1")
    exact = Row(EXACT, TABLE_5_2[0], "1")

    def case(system: str) -> Case:
        numbers = f"text {told[system]}, table {row.error(system)}, exact {exact.error(system):.3f}"
        return Case(system, told[system] == row.error(system), numbers)

    apart = {
        kind: gap(one, other)
        for kind, one, other in (
            ("text", told[HAAR], told[HH4]),
            ("table", row.error(HAAR), row.error(HH4)),
            ("exact", exact.error(HAAR), exact.error(HH4)),
        )
    }
    said = ", ".join(f"{kind} {found:.1%}" for kind, found in apart.items())
    cases = [case(system) for system in told]
    return conclude(cases, note=f"apart by: {said}")


def _never_worst(cache: DesignCache, quick: bool) -> Finding:
    def case(row: Row) -> Case:
        trees = [row.error(system) for system in row.part.systems if system != HAAR]
        behind = gap(row.error(HAAR), min(trees))
        true = row.error(HAAR) <= max(trees) and behind <= 0.1
        return row.case(true, behind)

    return judged([case(row) for row in rows_of(TABLE_5_2) if row.part.log2 != LARGEST])


def _prefixes_smaller(cache: DesignCache, quick: bool) -> Finding:
    def cases() -> Iterator[Case]:
        for row in rows_of(TABLE_5_3):
            ranges = Row(row.kind, next(part for part in TABLE_5_2 if part.log2 == row.part.log2), row.epsilon)
            for system in row.part.systems:
                less = 1 - row.error(system) / ranges.error(system)
                numbers = f"{row.error(system):.4g} against {ranges.error(system):.4g}, {-less:+.1%}"
                yield Case(f"{row.where}, {system}", 0 < less <= 0.3, numbers, miss=Fraction(abs(less)))

    found = list(cases())
    larger = {
        part.log2: sum(
            part.error(system, epsilon) > other.error(system, epsilon) for epsilon, system, _ in part.cells()
        )
        for part, other in zip(TABLE_5_3, TABLE_5_2, strict=True)
    }
    sizes = {part.log2: len(EPSILONS) * len(part.systems) for part in TABLE_5_3}
    told = ", ".join(f"{larger[log2]} of {sizes[log2]} at 2^{log2} items" for log2 in larger)
    return judged(found, note=f"printed errors that are larger for prefixes: {told}")


def _prefix_winners(cache: DesignCache, quick: bool) -> Finding:
    def case(row: Row) -> Case:
        errors = row.errors
        best = min(errors, key=errors.__getitem__)
        wanted = HAAR if row.epsilon in SMALL else HH2 if row.part.log2 == LARGEST else HH4
        return row.case(best == wanted, gap(errors[wanted], errors[best]))

    return judged([case(row) for row in rows_of(TABLE_5_3, (*SMALL, *LARGE))])


BETTER = "an error is better by the share of the larger one that it is smaller"

CLAIMS = (
    range_claim(
        "wavelet at small epsilon",
        "at small epsilon HaarHRR is more accurate than the best tree (table 5.2; read as: epsilon = 0.2 and 0.4)",
        _wavelet_first,
    ),
    range_claim(
        "margin of the wavelet",
        f"there it is better by at most 10 % at 2^8 items and at most 1 % beyond ({BETTER})",
        _wavelet_margin,
    ),
    range_claim(
        "margin of the trees",
        "at large epsilon the best tree is more accurate than HaarHRR, by at most 11 % (table 5.2; read as: epsilon "
        ">= 1)",
        _tree_margin,
    ),
    range_claim(
        "fan-out 4 in the table",
        "but for 2^22 items B = 4 is the best tree in most rows of table 5.2 (read as: in no fewer than any other)",
        _four_is_best,
    ),
    range_claim(
        "fan-out 2 at 2^22 items",
        "at 2^22 items B = 2 is more accurate than B = 4, by at most 10 % (table 5.2)",
        _two_at_the_largest,
    ),
    range_claim(
        "numbers quoted from the table",
        "at epsilon = 1 and 2^8 items table 5.2 has 0.787 for HaarHRR and 0.763 for HH4, about 3 % apart",
        _quoted,
    ),
    range_claim(
        "wavelet never worst",
        "but for 2^22 items HaarHRR is in no row of table 5.2 the least accurate, and at most 10 % behind the best "
        "tree",
        _never_worst,
    ),
    range_claim(
        "prefixes against ranges",
        "errors of prefixes (table 5.3) are smaller than those of ranges (table 5.2), by up to 30 %",
        _prefixes_smaller,
    ),
    range_claim(
        "best systems for prefixes",
        "for prefixes HaarHRR is the best at small epsilon; at large ones B = 2 at 2^22 items, and B = 4 else (table "
        "5.3; read as: epsilon up to 0.4, and from 1 on)",
        _prefix_winners,
    ),
)
