"""Releases and estimates in tables of pandas, polars or pyarrow."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast, overload

import numpy as np
from narwhals.typing import IntoDataFrame, IntoDataFrameT

from mechdesign.arguments import checked
from mechdesign.counts.estimation.counting import released_column
from mechdesign.counts.estimation.estimate import CONFIDENCE, Estimate, estimate_counts
from mechdesign.counts.estimation.likelihood import TOLERANCE
from mechdesign.counts.release import CHUNK_ROWS, RELEASED, Integers, MechanismChooser, ReleaseColumns, draw_released
from mechdesign.documents.csv_rows import require_at_most
from mechdesign.documents.frames import (
    SOURCE,
    Numbers,
    is_table_in_memory,
    open_frame,
    whole_column,
    whole_values,
    with_column,
)
from mechdesign.documents.storage import AnyMechanism, as_count_mechanism
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.sampling import WordSource, seeded_words
from mechdesign.mechanism.tightest import tightest_alpha
from mechdesign.problem.neighbours import NeighbourGraph
from mechdesign.rational import Number

BySize = Callable[[int], AnyMechanism]


@overload
def release(
    table: IntoDataFrameT,
    mechanism: AnyMechanism | BySize,
    *,
    column: str | None = None,
    size: str | None = None,
    keep_true: bool = False,
    seed: int | None = None,
) -> IntoDataFrameT: ...


@overload
def release(table: Sequence[int], mechanism: AnyMechanism, *, seed: int | None = None) -> list[int]: ...


@overload
def release(table: Integers, mechanism: AnyMechanism, *, seed: int | None = None) -> Integers: ...


@checked
def release(
    table: IntoDataFrameT | Sequence[int] | Integers,
    mechanism: AnyMechanism | BySize,
    *,
    column: str | None = None,
    size: str | None = None,
    keep_true: bool = False,
    seed: int | None = None,
) -> IntoDataFrameT | list[int] | Integers:
    """Release the true counts of a table, a list or an array: each is replaced by one exact draw of a mechanism.

    The noise comes from the operating system, independently for each row, with exactly the probabilities of the
    mechanism's integers. Everything else is published as it is: the order of the rows, the other columns, the index
    of a pandas table (its `attrs` are not).

    Args:
        table: of pandas, polars or pyarrow, a group in each row; or a list or an array of true counts alone. It is not
            changed.
        mechanism: for counts: a `Mechanism`, a `Design`, or the path of a file. Where groups differ in size, a function
            from a size to one of these.
        column: of the true counts; not needed where there is no other.
        size: the column of the groups' sizes, which are public; goes with a function.
        keep_true: leave the true counts in the table.
        seed: makes the noise reproducible, for simulation only; such a table must not be published.

    Returns:
        A table of the same kind, with the column `released` (int64) last, and without that of the true counts; for a
        list a list, for an array an array (int64).

    Raises:
        InputError: for a column that is missing, a count or size that is not a whole number in range (naming its row),
            an empty table, or a mechanism that is not for counts or whose epsilon is infinite.

    >>> import pyarrow as pa
    >>> from mechdesign.designs import design
    >>> from mechdesign.problem.design_problem import DesignProblem
    >>> towns = pa.table({"town": ["Cork", "Galway"], "boys": [3, 5]})
    >>> release(towns, design(DesignProblem(8, "0.9")), column="boys").column_names
    ['town', 'released']
    """
    if callable(mechanism) != (size is not None):
        raise InputError(
            "size must come with a function from a group's size to its mechanism, got one without the other"
        )
    if isinstance(table, list | tuple | np.ndarray):
        return _released_counts(
            table, mechanism, {"column": column, "size": size, "keep_true": keep_true or None}, seed
        )
    frame = open_frame(cast(IntoDataFrameT, table))
    columns = ReleaseColumns.find(frame.columns, column, size, keep_true, SOURCE)
    chooser = _chooser(mechanism, None if seed is None else seeded_words(seed))
    counts = whole_column(frame, columns.count, "count")
    sizes = None if columns.size is None else whole_column(frame, columns.size, "size")
    if not len(counts):
        raise InputError(f"the input must have at least one row, got none in {SOURCE}")
    released = np.concatenate(
        [
            draw_released(counts[k : k + CHUNK_ROWS], _part(sizes, k), chooser, k, SOURCE)
            for k in range(0, len(counts), CHUNK_ROWS)
        ]
    )
    gone = None if keep_true else frame.columns[columns.count]
    result: IntoDataFrameT = with_column(frame, RELEASED, released, gone)
    return result


def _released_counts(
    counts: Sequence[int] | Integers,
    mechanism: AnyMechanism | BySize,
    of_tables: Mapping[str, object],
    seed: int | None,
) -> list[int] | Integers:
    """Release counts that stand alone, and return them as they came."""
    for name, value in of_tables.items():
        if value is not None:
            raise InputError(f"{name} goes with a table, got it with counts alone")
    values = whole_values(counts, "count", "the counts")
    if not len(values):
        raise InputError("the counts must not be empty, got none")
    chooser = _chooser(mechanism, None if seed is None else seeded_words(seed))
    released = draw_released(values, None, chooser, 0, "the counts")
    return released if isinstance(counts, np.ndarray) else [int(value) for value in released]


def _part(sizes: Integers | None, start: int) -> Integers | None:
    return None if sizes is None else sizes[start : start + CHUNK_ROWS]


def _chooser(mechanism: AnyMechanism | BySize, words: WordSource | None) -> MechanismChooser:
    if callable(mechanism):
        make = mechanism

        def sized(size: int) -> Mechanism:
            made = _finite_mechanism(make(size))
            if made.n_inputs != size + 1:
                raise InputError(f"mechanism must have the size of its group, got n = {made.n_inputs - 1}")
            return made

        return MechanismChooser(sized, words)
    return MechanismChooser.one(_finite_mechanism(mechanism), words)


def _finite_mechanism(mechanism: AnyMechanism) -> Mechanism:
    """Take a mechanism for counts, and refuse one of infinite epsilon."""
    made = as_count_mechanism(mechanism)
    if tightest_alpha(made.weights, NeighbourGraph.path(made.n_inputs)).alpha is None:
        raise InputError("mechanism must have a finite epsilon, got a zero beside a positive entry")
    return made


@checked
def estimate(
    released: IntoDataFrame | Numbers,
    mechanism: AnyMechanism,
    *,
    column: str | None = None,
    confidence: Number = CONFIDENCE,
    tolerance: float = TOLERANCE,
) -> Estimate:
    """Estimate the distribution and the mean of the true counts behind released ones.

    This is post-processing: it spends no privacy.

    Args:
        released: a table of pandas, polars or pyarrow, or the released counts alone, as a column, an array or a list.
        mechanism: the one that released them: a `Mechanism`, a `Design` for counts, or the path of a file.
        column: of the released counts; by default `released`, or the only one.
        confidence: of the intervals of the mean.
        tolerance: how far the log-likelihood may be from its maximum, raised to what rounding allows.

    Raises:
        InputError: for a released count that is not a whole number in range (naming its row), none at all, or as
            `estimate_counts`.

    >>> estimate([0, 0, 1], Mechanism(((2, 1), (1, 2)), 3)).counts
    (2, 1)
    """
    matrix = as_count_mechanism(mechanism)
    n = matrix.n_outputs - 1
    if is_table_in_memory(released):
        frame = open_frame(released)
        counts = whole_column(frame, released_column(frame.columns, column, SOURCE), "count")
        source = SOURCE
    elif column is not None:
        raise InputError(f"column goes with a table, got column={column} with {type(released).__name__}")
    else:
        source = "the released counts"
        counts = whole_values(released, "count", source)
    require_at_most(counts, np.full(len(counts), n), 0, source, f"the mechanism's n = {n}")
    if not len(counts):
        raise InputError(f"the input must have at least one row, got none in {source}")
    return estimate_counts(matrix, np.bincount(counts, minlength=n + 1).tolist(), confidence, tolerance)
