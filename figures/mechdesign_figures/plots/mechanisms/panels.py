"""The panels of a comparison of mechanisms, which follow from what was requested.

| rows | panels |
| --- | --- |
| several n | one for each metric: value against n |
| one n | one for each metric: a dot for each mechanism |
| `Lp:0` to `Lp:n-1`, complete | one for each n: the tail against d |
| `error:-n` to `error:n`, complete | one for each n and mechanism: the error histogram |

All of them once for each alpha. A mechanism of one alpha among others that have several (a file) is in every panel.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechdesign_catalog.comparisons.of_mechanisms import MechanismRow
from mechdesign_figures.plots.parts.curves import Point, metric_words
from mechdesign_figures.plots.parts.lettering import short_names
from mechdesign_figures.plots.parts.style import privacy_words

SIZES, DOTS, TAIL, ERRORS = "sizes", "dots", "tail", "errors"


@dataclass(frozen=True)
class Panel:
    """One set of axes: its kind, title, what the values are, and the rows that it shows."""

    kind: str
    title: str
    words: str
    rows: tuple[MechanismRow, ...]

    def points(self, mechanism: str) -> list[Point]:
        """Return the values of one mechanism, by rising n, d or error."""
        own = (_point(row, self.kind) for row in self.rows if row.mechanism == mechanism)
        return sorted(own, key=lambda point: point.place)

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms of the panel, in their order."""
        return tuple(dict.fromkeys(row.mechanism for row in self.rows))


def panels_of(rows: Sequence[MechanismRow]) -> list[Panel]:
    """List all panels, alphas varying slowest."""
    return [panel for part in panels_by_alpha(rows) for panel in part]


def panels_by_alpha(rows: Sequence[MechanismRow]) -> list[list[Panel]]:
    """List the panels of each alpha; all of them together where no alpha is shared."""
    return [list(_panels(rows, alpha)) for alpha in _shared_alphas(rows)]


def _panels(rows: Sequence[MechanismRow], alpha: Fraction | None) -> Iterator[Panel]:
    """Those of one alpha, None for all rows: single metrics first, tails next, error histograms last."""
    alphas = _alphas(rows)
    part = [row for row in rows if alpha in (None, row.alpha) or len(alphas[row.mechanism]) == 1]
    sizes = list(dict.fromkeys(row.n for row in part))
    named = alpha or (rows[0].alpha if len({row.alpha for row in rows}) == 1 else None)
    at_alpha = [] if named is None else [privacy_words(named)]
    families = dict.fromkeys(family for row in part if (family := _family(row)))
    whole = [family for family in families if _is_whole(part, family, sizes)]
    single = [row for row in part if _family(row) not in whole]
    for metric in dict.fromkeys(row.measured.metric for row in single):
        own = tuple(row for row in single if row.measured.metric == metric)
        at_size = [f"n = {sizes[0]:,}"] if len(sizes) == 1 else []
        yield Panel(DOTS if at_size else SIZES, ", ".join(at_size + at_alpha), metric_words(metric), own)
    for family in whole:
        for n in sizes:
            own = tuple(row for row in part if _family(row) == family and row.n == n)
            told = [f"n = {n:,}", *at_alpha]
            if family != "error":
                yield Panel(TAIL, ", ".join(told), metric_words(f"{family}:d"), own)
                continue
            for name in dict.fromkeys(row.mechanism for row in own):
                yield Panel(
                    ERRORS, ", ".join(told), "share of groups", tuple(row for row in own if row.mechanism == name)
                )


def _family(row: MechanismRow) -> str:
    """`L0` of `L0:3`, `error` of `error:-1`, nothing for a metric that has no family."""
    family, colon, _ = row.measured.metric.partition(":")
    return family if colon else ""


def _is_whole(rows: Sequence[MechanismRow], family: str, sizes: Sequence[int]) -> bool:
    """Whether every size has the family's every metric, and some size more than one."""
    for n in sizes:
        found = {_place(row) for row in rows if row.n == n and _family(row) == family}
        if found != set(range(-n if family == "error" else 0, n + (family == "error"))):
            return False
    return max(sizes) > 1 or family == "error"


def _place(row: MechanismRow) -> int:
    """The d of a tail, the e of an error."""
    return int(row.measured.metric.partition(":")[2])


def _point(row: MechanismRow, kind: str) -> Point:
    place = _place(row) if kind in (TAIL, ERRORS) else row.n
    return Point(place, row.measured.expected, row.measured.mean, row.measured.standard_error)


def _alphas(rows: Sequence[MechanismRow]) -> dict[str, list[Fraction]]:
    found: dict[str, dict[Fraction, None]] = {}
    for row in rows:
        found.setdefault(row.mechanism, {})[row.alpha] = None
    return {name: list(alphas) for name, alphas in found.items()}


def _shared_alphas(rows: Sequence[MechanismRow]) -> list[Fraction] | list[None]:
    """The alphas of mechanisms that have several; None alone where none has."""
    several = dict.fromkeys(alpha for alphas in _alphas(rows).values() if len(alphas) > 1 for alpha in alphas)
    return list(several) or [None]


def labels_of(rows: Sequence[MechanismRow]) -> dict[str, str]:
    """Return the label of each mechanism: with its alpha where that is not the panel's."""
    alphas = _alphas(rows)
    one_for_all = len({row.alpha for row in rows}) == 1
    return {
        name: brief + ("" if one_for_all or len(alphas[name]) > 1 else f" ({privacy_words(alphas[name][0])})")
        for name, brief in short_names(list(alphas)).items()
    }
