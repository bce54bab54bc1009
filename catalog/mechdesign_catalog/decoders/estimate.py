"""An estimate: answers to linear queries on the shares of the users, with what is known of their errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechdesign.documents.tabular import Table
from mechdesign.errors import InputError, shorten
from mechdesign.mechanism.notebook import one_line, page
from mechdesign_catalog.randomizers.facts.intervals import normal_intervals
from mechdesign_catalog.randomizers.reports.probabilities import Floats

Rows = NDArray[np.int64]

INTERVALS = ("low", "high", "low_all", "high_all")
COLUMNS = ("share", "standard_error", *INTERVALS, "least_standard_error", "estimate", "confidence", "post")
ITEM_COLUMNS = ("frequency", "standard_error", "estimate", *INTERVALS, "confidence", "post")
"""What a table has beside the names: of queries and of the cells of a marginal table, and of items."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Answers to linear queries on the shares: of items, ranges, cells of a marginal table; shape (rows,) each.

    `estimates` are unbiased, and standard errors, intervals and covariances are theirs. `shares` are what is told: the
    same, unless a post-processing with a bias made others of them. What is not known is NaN: of more attributes than
    were collected for, shares are all there is.

    Args:
        shares: what is told.
        estimates: unbiased answers.
        standard_errors: their standard errors; where reports leave these open between two, the larger ones.
        covariances: computes the covariance of the estimates of some rows, by their numbers; shape (some, some).
        post: the way in which shares were made, as `--post` names it.
        is_unbiased: whether shares are unbiased.
        names: what names the rows in tables, as columns.
        columns: the columns of a table beside the names; the confidence and the post are the same in all rows.
        least_errors: the smaller standard errors, where they are open.
    """

    shares: Floats
    estimates: Floats
    standard_errors: Floats
    covariances: Callable[[Rows], Floats] = field(repr=False)
    post: str
    is_unbiased: bool = True
    names: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False)
    columns: tuple[str, ...] = COLUMNS
    least_errors: Floats | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.shares)

    def __repr__(self) -> str:
        return one_line(type(self).__name__, f"{len(self)} rows", self.post)

    def _repr_html_(self) -> str:
        return page(type(self).__name__, self.tabulate()._repr_html_())

    def labels(self) -> list[tuple[Any, ...]]:
        """List what names each row."""
        return list(zip(*self.names.values(), strict=True))

    @property
    def has_errors(self) -> bool:
        """Whether standard errors are known."""
        return not np.isnan(self.standard_errors).any()

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return confidence intervals for each row by itself, around the unbiased estimates.

        Raises:
            InputError: for a level that is not in (0, 1).
        """
        return normal_intervals(self.estimates, self.standard_errors, level)

    def simultaneous_intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return wider intervals, which hold the truth in all rows at once with chance `level` (Sidak).

        Of 500 intervals for each item by itself 25 miss at 95 %: among the largest estimates are those that noise made
        large. These are for looking at all rows and picking some.
        """
        return normal_intervals(self.estimates, self.standard_errors, level, together=max(1, len(self)))

    def covariance(self, rows: ArrayLike | None = None) -> Floats:
        """Compute the covariance of the unbiased estimates of some rows, of all if not given; shape (rows, rows).

        The exact formula for users whose items are fixed, at the estimated shares, which are neither clipped nor
        rescaled. The variance of `sum_i c_i x_i` is `c^T Cov c`: of the difference of two rows, the two variances less
        twice their covariance. The diagonal is that of `standard_errors`, but where these were brought to a bound.

        Raises:
            InputError: for numbers of no rows, or so many that it would take too long.
        """
        chosen = np.arange(len(self)) if rows is None else np.asarray(rows)
        if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
            raise InputError(f"rows must be a list of whole numbers, got {shorten(rows)}")
        chosen = chosen.astype(np.int64)
        if ((chosen < 0) | (chosen >= len(self))).any():
            raise InputError(f"rows must be in 0..{len(self) - 1}, got {shorten(rows)}")
        return self.covariances(chosen)

    def named(self, names: Mapping[str, Sequence[Any]]) -> Self:
        """Return the same with other names of the rows."""
        return replace(self, names=names)

    def taken(self, rows: Rows) -> "Estimate":
        """Return these rows in this order, without names."""
        return Estimate(
            self.shares[rows],
            self.estimates[rows],
            self.standard_errors[rows],
            lambda chosen: self.covariances(rows[chosen]),
            self.post,
            self.is_unbiased,
            columns=self.columns,
            least_errors=None if self.least_errors is None else self.least_errors[rows],
        )

    def replaced(self, shares: Floats, post: str) -> Self:
        """Return the same with other shares, by a post-processing with a bias."""
        return replace(self, shares=shares, post=post, is_unbiased=False)

    def numbers(self, level: float = 0.95) -> dict[str, Floats]:
        """Return all that is known of the rows by the names that tables have for it."""
        low, high = self.intervals(level)
        low_all, high_all = self.simultaneous_intervals(level)
        known = {
            "share": self.shares,
            "frequency": self.shares,
            "estimate": self.estimates,
            "standard_error": self.standard_errors,
            "least_standard_error": self.least_errors,
            "low": low,
            "high": high,
            "low_all": low_all,
            "high_all": high_all,
        }
        return {name: column for name, column in known.items() if column is not None}

    def tabulate(self, level: float = 0.95) -> Table:
        """Make a table with a line for each row: its names, then of `columns` those that are known.

        `share` (of items: `frequency`) is what is told. Of the unbiased `estimate` are `standard_error`, the interval
        `low` to `high` of the row by itself, and `low_all` to `high_all` of all rows together. Where reports leave
        standard errors open, `least_standard_error` is what they are at least. Unknown cells are None.

        Raises:
            InputError: for names that are columns as well, and as `intervals`.
        """
        require_free_names(self.names, self.columns)
        numbers = self.numbers(level)
        common = {"confidence": level, "post": self.post}
        columns = {name: known_cells(numbers[name]) for name in self.columns if name in numbers}
        return Table({**self.names, **columns}, {name: common[name] for name in self.columns if name in common})


def known_cells(column: Floats) -> list[float | None]:
    """Return the cells of a column of a table: None for what is not known."""
    cells: list[float | None] = column.tolist()
    return [None if cell != cell else cell for cell in cells] if np.isnan(column).any() else cells


def largest(shares: Floats, count: int) -> list[int]:
    """Find the rows with the largest shares, the largest first; of equal ones the first."""
    return [int(row) for row in np.argsort(-shares, kind="stable")[:count]]


def require_free_names(names: Iterable[str], columns: Sequence[str] = COLUMNS) -> None:
    """Refuse attributes that would have the name of another column of their table in a file.

    Raises:
        InputError: with the first of them.
    """
    for name in names:
        if name in columns:
            raise InputError(
                f"an attribute of a table in a file must not be called {', '.join(columns)}, got {name}; a file of all "
                "tables has names in cells"
            )
